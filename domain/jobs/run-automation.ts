import * as v from 'valibot'
import type { ClaimedEntry, RunState, StepEffect, TenantOutbox } from '../../ports/outbox-store.ts'
import type { SendRecord } from '../../ports/send-log.ts'
import { toInstant } from '../text/instant.ts'
import type { HeldLease } from './lease.ts'
import { leaseEnd } from './lease.ts'
import { attemptEmail, attemptSms, noEmailProvider } from './send.ts'
import { tenantMailbox } from '../messaging/sender.ts'
import type { Step } from './steps.ts'
import { RUN_CONTACT, Steps } from './steps.ts'
import type { Verdict } from './verdict.ts'
import { hopeless, malformedEntry } from './verdict.ts'
import type { JobWorld } from './world.ts'

const Payload = v.object({ automationId: v.string() })

/** The result of a step: executed, or why the run cannot continue now or ever. */
type StepResult =
  { readonly kind: 'executed'; readonly effect: StepEffect; readonly sends: readonly SendRecord[] } | Verdict

/** Everything that a step may need. */
interface RunContext {
  readonly entry: ClaimedEntry
  readonly held: HeldLease
  readonly outbox: TenantOutbox
  readonly world: JobWorld
}

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
    const result = await execute(step, number, context)
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

async function execute(step: Step, number: number, context: RunContext): Promise<StepResult> {
  const { contact, outboxId } = context.entry
  const key = `${outboxId}-${number}`
  switch (step.type) {
    case 'send_email':
      return executed(await emailStep(step, key, context))
    case 'send_sms':
      return executed(await smsStep(step, key, context))
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
  key: string,
  { entry: { organization, contact }, world }: RunContext,
): Promise<Verdict> {
  if (world.mail === null) return noEmailProvider
  const isToContact = to === RUN_CONTACT
  const address = isToContact ? contact?.email : to
  if (address === undefined || address === null) return hopeless('The contact has no email address.')
  if (isToContact && contact?.emailConsent === 'unsubscribed') return passedOver
  const from = tenantMailbox(organization, world.mail)
  if (from === null) return hopeless('The organization has no slug to send email from.')
  const message = { from, to: address, subject, html, text: null, replyTo: null, attachments: [] }
  return attemptEmail(message, key, world)
}

async function smsStep(
  { body }: Extract<Step, { type: 'send_sms' }>,
  key: string,
  { entry: { organization, contact }, world }: RunContext,
): Promise<Verdict> {
  if (organization.smsNumber === null) return hopeless('The organization has no number to send SMS from.')
  const phone = contact?.phone ?? null
  if (contact === null || phone === null) return hopeless('The contact has no phone number.')
  if (contact.smsConsent === 'unsubscribed') return passedOver
  const from = { kind: 'number', number: organization.smsNumber } as const
  return attemptSms({ from, to: phone, body, mediaUrls: [] }, key, world)
}
