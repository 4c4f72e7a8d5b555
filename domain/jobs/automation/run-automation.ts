import * as v from 'valibot'
import type { ClaimedEntry, RunState, StepEffect, TenantOutbox } from '../../../ports/outbox-store.ts'
import type { SendRecord } from '../../../ports/messaging.ts'
import { deliveryAddress, emailKey } from '../../text/contact/email-address.ts'
import { toInstant } from '../../text/instant.ts'
import { sendWithinBounds } from '../bounds.ts'
import { leaseEnd, type HeldLease } from '../lease.ts'
import type { RunContext } from './run-context.ts'
import { noEmailProvider, noSmsProvider, prepareEmail, prepareSms } from '../send.ts'
import { tenantMailbox } from '../../messaging/request/sender.ts'
import { RUN_CONTACT, Steps, type Step } from './steps.ts'
import { hopeless, malformedEntry, type Verdict } from '../verdict.ts'
import type { JobWorld } from '../world.ts'

const Payload = v.object({ automationId: v.string() })

/** The result of a step: executed, or why the run cannot continue now or ever. */
type StepResult =
  { readonly kind: 'executed'; readonly effect: StepEffect; readonly sends: readonly SendRecord[] } | Verdict

/**
 * Executes the steps of an automation in order, from where the run stopped. The effect of a step on stored data is
 * written together with the run's progress. A step that sends uses the run and the step as its idempotency key.
 */
export async function runAutomation(
  entry: ClaimedEntry,
  held: HeldLease,
  outbox: TenantOutbox,
  world: JobWorld,
): Promise<Verdict> {
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return malformedEntry
  const contactId = entry.contact?.contactId ?? null
  const now = toInstant(world.clock.nowMs())
  const run = await outbox.startRun(entry.outboxId, held.token, payload.output.automationId, contactId, now)
  if (run === null) return hopeless('The automation is gone.')
  if (run.status !== 'running') return { kind: 'done', sends: [] }
  const steps = v.safeParse(Steps, run.steps)
  if (!steps.success) return hopeless('The steps of the automation are malformed.')
  return executeFrom(run, steps.output, { entry, held, outbox, world })
}

async function executeFrom(run: RunState, steps: readonly Step[], context: RunContext): Promise<Verdict> {
  const { entry, held, outbox, world } = context
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    if (number < run.nextStep) continue
    // Only the step at which the entry stopped can have waited.
    const waitingSince = number === run.nextStep ? entry.waitingSince : null
    const result = await execute(step, { key: `${entry.outboxId}-${number}`, waitingSince }, context)
    if (result.kind !== 'executed') return inStep(number, result)
    const nowMs = world.clock.nowMs()
    const { effect, sends } = result
    const finished = { runId: entry.outboxId, step: number, effect, sends, leaseUntil: leaseEnd(nowMs) }
    const outcome = await outbox.finishStep(held.token, finished, toInstant(nowMs))
    if (outcome === 'lost') return { kind: 'lost' }
    if (outcome === 'impossible') return inStep(number, hopeless(impossible(step)))
  }
  return { kind: 'done', sends: [] }
}

/** Adds the number of the step to a verdict's reason. */
function inStep(number: number, verdict: Verdict): Verdict {
  return 'reason' in verdict ? { ...verdict, reason: `Step ${number}: ${verdict.reason}` } : verdict
}

function impossible({ type }: Step): string {
  return type === 'add_to_list'
    ? 'There is no static list of that id, or the contact is gone.'
    : 'The contact is gone.'
}

/** A step that sends, besides what it sends. */
interface Sending {
  /** The idempotency key. */
  readonly key: string
  /** Since when its message has been waiting to be within the bounds; null: it has not. */
  readonly waitingSince: string | null
}

async function execute(step: Step, sending: Sending, context: RunContext): Promise<StepResult> {
  const { contact } = context.entry
  switch (step.type) {
    case 'send_email':
      return executed(await emailStep(step, sending, context))
    case 'send_sms':
      return executed(await smsStep(step, sending, context))
    case 'add_to_list':
    case 'add_tag': {
      if (contact === null) return hopeless('The submission identifies no contact.')
      const { contactId } = contact
      const effect: StepEffect =
        step.type === 'add_tag'
          ? { kind: 'add_tag', tag: step.tag, contactId }
          : { kind: 'add_to_list', listId: step.listId, contactId }
      return { kind: 'executed', effect, sends: [] }
    }
  }
}

/** The step's result for a verdict: executed when the send succeeded; all other verdicts are returned unchanged. */
function executed(verdict: Verdict): StepResult {
  return verdict.kind === 'done'
    ? { kind: 'executed', effect: { kind: 'none' }, sends: verdict.sends }
    : verdict
}

/** The verdict for a contact who has unsubscribed from a channel: the step sends nothing and is skipped. */
const passedOver: Verdict = { kind: 'done', sends: [] }

async function emailStep(
  { to, subject, html }: Extract<Step, { type: 'send_email' }>,
  { key, waitingSince }: Sending,
  context: RunContext,
): Promise<Verdict> {
  const { entry, world } = context
  const { organization, contact } = entry
  if (world.mail === null || world.email === null) return noEmailProvider
  const isToContact = to === RUN_CONTACT
  const address = isToContact ? contact?.email : to
  if (address === undefined || address === null) return hopeless('The contact has no email address.')
  if (isToContact && contact?.emailConsent === 'unsubscribed') return passedOver
  const from = tenantMailbox(organization, world.mail)
  if (from === null) return hopeless('The organization has no slug to send email from.')
  const parts = { subject, html, text: null, replyTo: null, attachments: [], isAutomatic: true }
  const message = { from, to: deliveryAddress(address), ...parts }
  const prepared = prepareEmail(message, key, world.email, world)
  const { capabilities } = world.email
  return sendWithinBounds({ prepared, recipient: emailKey(address), capabilities }, waitingSince, context)
}

async function smsStep(
  { body }: Extract<Step, { type: 'send_sms' }>,
  { key, waitingSince }: Sending,
  context: RunContext,
): Promise<Verdict> {
  const { entry, world } = context
  const { organization, contact } = entry
  if (organization.smsNumber === null) return hopeless('The organization has no number to send SMS from.')
  const phone = contact?.phone ?? null
  if (contact === null || phone === null) return hopeless('The contact has no phone number.')
  if (contact.smsConsent === 'unsubscribed') return passedOver
  if (world.sms === null) return noSmsProvider
  const from = { kind: 'number', number: organization.smsNumber } as const
  const prepared = prepareSms({ from, to: phone, body, mediaUrls: [] }, key, world.sms, world)
  const { capabilities } = world.sms
  return sendWithinBounds({ prepared, recipient: phone, capabilities }, waitingSince, context)
}
