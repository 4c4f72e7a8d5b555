import * as v from 'valibot'
import type { ClaimedEntry, RunState, StepEffect, TenantOutbox } from '../../ports/outbox-store.ts'
import type { SendRecord } from '../../ports/send-log.ts'
import { toInstant } from '../text/instant.ts'
import type { Held } from './lease.ts'
import { leaseEnd } from './lease.ts'
import { sendEmail, sendSms, UNCONFIGURED_MS } from './send.ts'
import { tenantMailbox } from '../messaging/sender.ts'
import type { Step } from './steps.ts'
import { RUN_CONTACT, Steps } from './steps.ts'
import type { Verdict } from './verdict.ts'
import { hopeless, postponed } from './verdict.ts'
import type { JobWorld } from './world.ts'

const Payload = v.object({ automationId: v.string() })

/** A step that was executed, or why the run cannot go on now or ever. */
type StepResult =
  { readonly kind: 'executed'; readonly effect: StepEffect; readonly sends: readonly SendRecord[] } | Verdict

/** Everything that executing a step looks at. */
interface RunContext {
  readonly entry: ClaimedEntry
  readonly held: Held
  readonly outbox: TenantOutbox
  readonly world: JobWorld
}

/**
 * Executes the steps of an automation in order, from where the run was left. What a step does to stored data is
 * written together with the run's progress; what it sends has the run and the step as its idempotency key.
 */
export async function runAutomation(
  entry: ClaimedEntry,
  held: Held,
  outbox: TenantOutbox,
  world: JobWorld,
): Promise<Verdict> {
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return hopeless('The entry is malformed.')
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

/** Reasons say which step they are about. */
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

/** A send that succeeded makes its step executed. Every other result is returned unchanged. */
function executed(verdict: Verdict): StepResult {
  return verdict.kind === 'done'
    ? { kind: 'executed', effect: { kind: 'none' }, sends: verdict.sends }
    : verdict
}

/** A contact who has unsubscribed from a channel gets no message over it; the step is skipped. */
const passedOver: Verdict = { kind: 'done', sends: [] }

async function emailStep(
  { to, subject, html }: Extract<Step, { type: 'send_email' }>,
  key: string,
  { entry: { organization, contact }, world }: RunContext,
): Promise<Verdict> {
  if (world.mail === null) return postponed('No email provider is configured.', UNCONFIGURED_MS)
  const isToContact = to === RUN_CONTACT
  const address = isToContact ? contact?.email : to
  if (address === undefined || address === null) return hopeless('The contact has no email address.')
  if (isToContact && contact?.emailConsent === 'unsubscribed') return passedOver
  const from = tenantMailbox(organization, world.mail)
  if (from === null) return hopeless('The organization has no slug to send email from.')
  const message = { from, to: address, subject, html, text: null, replyTo: null, attachments: [] }
  return sendEmail(message, key, world)
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
  return sendSms({ from, to: phone, body, mediaUrls: [] }, key, world)
}
