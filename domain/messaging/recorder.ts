import type { Clock, Deadline, Log } from '../../ports/platform.ts'
import type { Claim, KeyedRequest, KnownRequest, SendRecord, TenantSendLog } from '../../ports/messaging.ts'
import { pause, within } from '../limits/waiting.ts'
import { toInstant } from '../text/instant.ts'
import { KEY_KEPT_HOURS, type Recognisable } from './request.ts'
import { UNKNOWN_AFTER_MS } from './attempt.ts'

// All sends of a request are recorded as pending before the first one is handed over, in one call. Their outcomes follow
// in groups. So whatever interrupts the request, no message is delivered without a trace.
//
// When the request carries an idempotency key, its sends are also released in groups: a message is handed over only
// after its number was released, in a write that fails once another request holds the key. So a send that was never
// released was certainly not handed over and never will be by the request that was cut off, and the one that takes the
// key over may send it. A send that was released and has no outcome is unknown for ever, and is not sent again.

/**
 * How many sends are released at once. After a request with a key was cut off, at most so many are unknown, and those of
 * the group before that were on their way.
 */
const RELEASED_AT_ONCE = 50
/**
 * The minimum time between two writes of outcomes while sends are going on, in ms. A crash leaves the sends of about this
 * long without an outcome. The number of writes depends on the duration of a request and not on the number of its
 * recipients.
 */
const INTERVAL_MS = 2_000
/** The maximum duration of one write, in ms. */
const WRITE_TIMEOUT_MS = 10_000
/** The pause before a write that must succeed is repeated, in ms. */
const REPEAT_PAUSE_MS = 1_000

interface RecorderWorld {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly log: Log
}

/** Records the sends of one request while they happen. */
interface Recorder {
  /** Waits until the send of this number may be handed over. False: it must not be. */
  mayBegin(number: number): Promise<boolean>
  /** Takes the record of a send that has ended. It is written soon: in the background, together with others. */
  add(record: SendRecord): void
  /**
   * Writes the remaining records. Never rejects: a failure is only logged, because the caller must learn what was sent.
   */
  finish(): Promise<void>
}

/** What is known of the sends of a request that came before. */
export interface Earlier {
  readonly sends: readonly SendRecord[]
  /** The sends with a lower number may have been handed over. */
  readonly released: number
  readonly sendPrefix: string
}

/** Whether the sends of a request may be handed over. */
export type Opening =
  | {
      readonly kind: 'opened'
      readonly recorder: Recorder
      /** Null: the request has not come before. */
      readonly earlier: Earlier | null
    }
  /** A request with the same key is still at work. `until`: the UTC instant after which it counts as cut off. */
  | { readonly kind: 'busy'; readonly until: string }
  /** The key has come with another body. */
  | { readonly kind: 'other_body' }

/** The sends of one request. */
interface RecordedRequest {
  readonly sends: readonly SendRecord[]
  readonly sendPrefix: string
  /** Null: the request carries no idempotency key. */
  readonly recognisable: Recognisable | null
}

/**
 * Records the sends of a request as pending, and takes its key. Rejects when that is not possible; then nothing may be
 * handed over.
 */
export async function openRecorder(
  log: TenantSendLog,
  { sends, sendPrefix, recognisable }: RecordedRequest,
  world: RecorderWorld,
): Promise<Opening> {
  const nowMs = world.clock.nowMs()
  if (recognisable === null) {
    const isThere = await repeated(() => log.record(sends), sends.length, world)
    if (!isThere) throw new OrganizationGone()
    return { kind: 'opened', recorder: createRecorder(log, null, world), earlier: null }
  }
  const request: KeyedRequest = {
    ...recognisable,
    sendPrefix,
    busyUntil: toInstant(nowMs + UNKNOWN_AFTER_MS),
    expiresAt: toInstant(nowMs + KEY_KEPT_HOURS * 3_600_000),
    released: RELEASED_AT_ONCE,
  }
  const claim = await repeated(() => log.claim(sends, request, toInstant(nowMs)), sends.length, world)
  return openedBy(claim, request, log, world)
}

class OrganizationGone extends Error {
  override readonly name = 'OrganizationGone'
  override readonly message = 'The organization is being deleted'
}

function openedBy(claim: Claim, request: KeyedRequest, log: TenantSendLog, world: RecorderWorld): Opening {
  const { requestKey, sendPrefix } = request
  switch (claim.kind) {
    case 'gone':
      throw new OrganizationGone()
    case 'taken': {
      const key = { requestKey, holder: sendPrefix, released: request.released }
      return { kind: 'opened', recorder: createRecorder(log, key, world), earlier: null }
    }
    case 'known': {
      const known = claim.request
      if (known.bodyHash !== request.bodyHash) return { kind: 'other_body' }
      const isMine = known.holder === sendPrefix
      if (!known.isEnded && !isMine) return { kind: 'busy', until: known.busyUntil }
      return { kind: 'opened', ...taken(known, claim.sends, requestKey, log, world) }
    }
  }
}

/** Continues a request that was cut off; or, when it has ended, only tells of it. */
function taken(
  { sendPrefix, holder, released, isEnded }: KnownRequest,
  sends: readonly SendRecord[],
  requestKey: string,
  log: TenantSendLog,
  world: RecorderWorld,
) {
  const recorder = createRecorder(log, isEnded ? null : { requestKey, holder, released }, world)
  return { recorder, earlier: { sends, sendPrefix, released: isEnded ? Infinity : released } }
}

/** A call of storage that is made again when it fails. Rejects with the second failure. */
async function repeated<Result>(
  call: () => Promise<Result>,
  sends: number,
  { deadline, log }: RecorderWorld,
): Promise<Result> {
  try {
    return await within(deadline, WRITE_TIMEOUT_MS, call())
  } catch (cause) {
    log.error('sends_not_recorded_yet', { sends }, cause)
    await pause(deadline, REPEAT_PAUSE_MS)
    return within(deadline, WRITE_TIMEOUT_MS, call())
  }
}

/** The key of a request that is at work, and which of its sends are released. */
interface HeldKey {
  readonly requestKey: string
  readonly holder: string
  readonly released: number
}

/**
 * Opens a recorder on a log of sends. Records of a failed write are written again, which is safe because writing one
 * twice changes nothing.
 * @param key null: all sends may be handed over
 */
function createRecorder(log: TenantSendLog, key: HeldKey | null, world: RecorderWorld): Recorder {
  let waiting: SendRecord[] = []
  let writing: Promise<boolean> = Promise.resolve(true)
  let nextMs = world.clock.nowMs() + INTERVAL_MS
  let released = key?.released ?? Infinity
  let wanted = released
  let releasing: Promise<boolean> | null = null
  let isStopped = false
  let isEnded = false

  async function write(): Promise<boolean> {
    const batch = waiting
    if (batch.length === 0 && wanted === released && (key === null || !isEnded)) return true
    waiting = []
    const progress = key === null ? null : { ...key, released: wanted, isEnded }
    try {
      const isHolder = await within(world.deadline, WRITE_TIMEOUT_MS, log.end(batch, progress))
      if (!isHolder) isStopped = true
      else if (progress !== null) released = progress.released
      return true
    } catch (cause) {
      waiting = [...batch, ...waiting]
      world.log.error('sends_not_recorded_yet', { sends: batch.length }, cause)
      return false
    } finally {
      nextMs = world.clock.nowMs() + INTERVAL_MS
    }
  }
  /** Writes when everything before has been written. */
  function writeNext(): Promise<boolean> {
    nextMs = Infinity
    writing = writing.then(write)
    return writing
  }
  async function writeSurely(): Promise<boolean> {
    if (await writeNext()) return true
    await pause(world.deadline, REPEAT_PAUSE_MS)
    return writeNext()
  }

  return {
    async mayBegin(number) {
      if (number < released) return true
      if (isStopped) return false
      wanted = Math.max(wanted, number - (number % RELEASED_AT_ONCE) + RELEASED_AT_ONCE)
      releasing ??= writeSurely().finally(() => {
        releasing = null
      })
      if (!(await releasing)) isStopped = true
      return number < released
    },
    add(record) {
      waiting.push(record)
      if (world.clock.nowMs() >= nextMs) void writeNext()
    },
    async finish() {
      wanted = released
      // What was not released is left to a repetition of the request.
      isEnded = !isStopped
      if (!(await writeSurely())) world.log.error('sends_not_recorded', { sends: waiting.length })
    },
  }
}
