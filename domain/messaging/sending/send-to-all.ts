import type { Background } from '../../../ports/platform/background.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { Deadline } from '../../../ports/platform/deadline.ts'
import type { Log } from '../../../ports/platform/log.ts'
import type { RandomSource } from '../../../ports/platform/random-source.ts'
import type { SendLog } from '../../../ports/messaging/send-log.ts'
import type { SendCapabilities, SendResult } from '../../../ports/messaging/send-result.ts'
import { eachOf } from '../../bounds/within.ts'
import { randomBase62 } from '../../text/encoding.ts'
import type { SendIdentity } from './attempt.ts'
import { recordOf } from './attempt.ts'
import type { Fate, Pace } from './hand-over.ts'
import { handOver } from './hand-over.ts'
import type { Recipient } from './recipients.ts'
import { createRecorder } from './recorder.ts'

/** How many sends run at once: a Worker has six connections. */
const SEND_WIDTH = 6
/** No send of a request begins after this long, in ms, because few callers wait longer. */
export const REQUEST_DURATION_MS = 60_000
const ID_LENGTH = 22

/** The ports that sending needs. */
export interface SendingWorld {
  readonly sends: SendLog
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
  readonly background: Background
}

/** One message to many recipients. */
export interface Mailing {
  /** The organization that sends; null: the operator. */
  readonly organizationId: string | null
  readonly recipients: readonly Recipient[]
  readonly identity: Pick<SendIdentity, 'channel' | 'from'>
  readonly capabilities: SendCapabilities
  /** Hands the message over once, for one recipient. The key is the same whenever the same send is tried again. */
  readonly send: (to: string, idempotencyKey: string) => Promise<SendResult>
}

/** The result for one entry of `to`. `id` is the provider's id of the message, or else this service's. */
export type Outcome =
  | { readonly to: string; readonly success: true; readonly id: string }
  | { readonly to: string; readonly success: false; readonly error: string }

/**
 * Sends to everybody, independently and at most six at once, and records each send. Outcomes are in the order of the
 * recipients; a recipient who is named twice gets one message. Continues when the caller has disconnected, as far as
 * the platform allows it.
 */
export async function sendToAll(mailing: Mailing, world: SendingWorld): Promise<readonly Outcome[]> {
  const work = sendAndRecord(mailing, world)
  // The platform ends the work of a request when its caller disconnects, unless the work was registered in the
  // background.
  world.background.run(work.catch(() => undefined))
  return work
}

async function sendAndRecord(mailing: Mailing, world: SendingWorld): Promise<readonly Outcome[]> {
  const { recipients, organizationId, identity } = mailing
  const recorder = createRecorder(world.sends.open(organizationId), world)
  const pace: Pace = { endMs: world.clock.nowMs() + REQUEST_DURATION_MS, notBeforeMs: 0 }
  const requestSendId = randomBase62(ID_LENGTH, (length) => world.random.bytes(length))
  const endings = new Map<string, Ending>()
  await eachOf(distinct(recipients).entries(), SEND_WIDTH, async ([index, recipient]) => {
    const sendId = `snd_${requestSendId}_${String(index).padStart(3, '0')}`
    const fate = await fateOf(recipient, sendId, { mailing, pace, world })
    endings.set(recipient.key, endingOf(fate, sendId))
    const sent = { ...identity, to: recipient.to, sendId }
    recorder.add(recordOf(sent, fate.kind === 'accepted' ? named(fate, sent) : fate, world.clock))
  })
  await recorder.finish()
  const accepted = [...endings.values()].filter(({ success }) => success).length
  world.log.info('sends_ended', { channel: identity.channel, sends: endings.size, accepted })
  return recipients.map(({ key, to }) => {
    const ending = endings.get(key)
    if (ending === undefined) throw new Error('A send did not end')
    return { to, ...ending }
  })
}

type Accepted = Extract<Fate, { kind: 'accepted' }>
type Ending =
  { readonly success: true; readonly id: string } | { readonly success: false; readonly error: string }

/** Each recipient once, in the form of its first occurrence. */
function distinct(recipients: readonly Recipient[]): readonly Recipient[] {
  const byKey = new Map<string, Recipient>()
  for (const recipient of recipients) if (!byKey.has(recipient.key)) byKey.set(recipient.key, recipient)
  return [...byKey.values()]
}

interface Sending {
  readonly mailing: Mailing
  readonly pace: Pace
  readonly world: SendingWorld
}

async function fateOf(
  recipient: Recipient,
  sendId: string,
  { mailing, pace, world }: Sending,
): Promise<Fate> {
  if (recipient.kind === 'unreachable') return { kind: 'failed', error: recipient.error }
  const isRepeatable = mailing.capabilities.idempotencyMs > 0
  return handOver({ sendId, send: () => mailing.send(recipient.to, sendId), isRepeatable }, pace, world)
}

/** The end of a send. When a provider accepted a message without an id, the idempotency key takes its place. */
function endingOf(fate: Fate, sendId: string): Ending {
  return fate.kind === 'accepted'
    ? { success: true, id: fate.providerId ?? sendId }
    : { success: false, error: fate.error }
}

/**
 * The id under which a send is recorded: for an email the one that its caller gets, for a text message the provider's,
 * because its caller gets none.
 */
function named({ providerId }: Accepted, { channel, sendId }: SendIdentity) {
  return { providerId: channel === 'email' ? (providerId ?? sendId) : providerId }
}
