import type { Admission } from '../../ports/outbox-store.ts'
import type { SendCapabilities } from '../../ports/messaging.ts'
import { toInstant } from '../text/instant.ts'
import { leaseEnd } from './lease.ts'
import type { PreparedSend } from './send.ts'
import type { RunContext } from './automation/run-context.ts'
import { hopeless, type Verdict } from './verdict.ts'

/** The maximum number of messages of an organization's automations to one address or number within any 24 hours. */
export const RECIPIENT_DAILY_MAX = 5

/** How long a message waits to be within the bounds, in days. */
export const WAIT_MAX_DAYS = 3
const WAIT_MAX_MS = WAIT_MAX_DAYS * 86_400_000

/** A message of an automation, as far as the bounds are concerned. */
export interface BoundedMessage {
  /** The message. The id of its send is the idempotency key with which it is sent. */
  readonly prepared: PreparedSend
  /** The address or number, in the form in which all spellings of it are equal. */
  readonly recipient: string
  /** What its provider is capable of. */
  readonly capabilities: SendCapabilities
}

/**
 * Sends a message of an automation if it is within the bounds; else its entry waits. Strangers choose the recipients,
 * because whoever submits a form can write any address into it.
 * @param waitingSince since when the message has been waiting already; null: it has not
 */
export async function sendWithinBounds(
  message: BoundedMessage,
  waitingSince: string | null,
  { entry, held, outbox, world: { clock } }: RunContext,
): Promise<Verdict> {
  const nowMs = clock.nowMs()
  const since = waitingSince ?? toInstant(nowMs)
  const waitsUntil = toInstant(Date.parse(since) + WAIT_MAX_MS)
  const organizationMax = entry.organization.automationHourly
  const admission = await outbox.admit(
    entry.outboxId,
    held.token,
    {
      messageId: messageIdOf(message, entry.attempts),
      recipient: message.recipient,
      recipientMax: RECIPIENT_DAILY_MAX,
      organizationMax,
      waitsUntil,
      leaseUntil: leaseEnd(nowMs),
      send: message.prepared.pending,
    },
    toInstant(nowMs),
  )
  if (admission.kind === 'admitted') return message.prepared.attempt()
  const reason = reasonOf(admission, organizationMax)
  if (toInstant(nowMs) >= waitsUntil) return hopeless(`Given up after ${WAIT_MAX_DAYS} days: ${reason}`)
  return { kind: 'waiting', since, until: admission.until ?? waitsUntil, reason: `Waits: ${reason}` }
}

/**
 * The id under which a message counts. When the provider does not recognise repetitions, each attempt may reach the
 * recipient, so each counts by itself. Waiting and throttling are no attempts.
 */
function messageIdOf({ prepared, capabilities }: BoundedMessage, attempts: number): string {
  const key = prepared.pending.sendId
  return capabilities.idempotencyMs > 0 ? key : `${key}-${attempts}`
}

function reasonOf({ bound }: Extract<Admission, { kind: 'over' }>, organizationMax: number): string {
  switch (bound) {
    case 'recipient':
      return `automations send at most ${RECIPIENT_DAILY_MAX} messages a day to one recipient.`
    case 'organization':
      return `the organization's automations send at most ${organizationMax} messages an hour.`
    case null:
      return `automations send at most ${RECIPIENT_DAILY_MAX} messages a day to one recipient, and ${organizationMax} an hour in all.`
  }
}
