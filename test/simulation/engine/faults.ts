import type { Decisions } from './decisions.ts'

/** The possible faults, with their maximum frequency in a thousand occasions. */
const mostPerMille = {
  /** A call of storage that fails before it does anything. */
  storageRefused: 40,
  /** A call of storage that takes effect, and whose answer is lost. */
  storageLost: 40,
  /** A call of storage, or its answer, that takes up to 90 seconds. */
  storageSlow: 15,
  /** A database that refuses writes for a while. */
  storageFull: 4,
  /** An object of a family that loses its memory, before or after a call. */
  objectReset: 30,
  /** An alarm of an object that rings up to a minute late. */
  alarmLate: 100,
  /** An alarm that never rings. */
  alarmLost: 200,
  providerSlow: 60,
  /** A provider that asks to wait. */
  providerThrottled: 100,
  /** A provider that answers with a failure of its own. */
  providerBroken: 100,
  /** A message that the provider accepts, but whose answer is lost. */
  providerLost: 100,
  /** A provider that is down for minutes or hours. */
  providerDown: 10,
  queueRefused: 50,
  queueLost: 200,
  queueDoubled: 200,
  queueLate: 200,
  cronMissed: 200,
  cronDoubled: 100,
  receiverBroken: 200,
  /** A receiver of webhooks that asks to wait. */
  receiverBusy: 80,
  /** A receiver that wants to be told nothing any more. */
  receiverGone: 60,
  receiverSlow: 80,
  /** A call that a receiver takes, but whose answer is lost. */
  receiverLost: 150,
  /** A receiver that is down for minutes or hours. */
  receiverDown: 15,
  requestLost: 30,
  answerLost: 60,
  /** A process that dies after a step. */
  death: 12,
  /** A rotation of the root secret, after a step. */
  rotation: 1,
  /** The deployment of a new version of the service, after a step. */
  release: 1,
} as const

export type Fault = keyof typeof mostPerMille

/** The part that stays broken when all other faults have ended; null: none. `object`: one family's database. */
export type NeverMended = 'email' | 'sms' | 'queue' | 'object' | null

/** The faults of one run. */
export interface Faults {
  /** Whether nothing goes wrong in the whole run. */
  readonly isCalm: boolean
  readonly neverMended: NeverMended
  /** By how many milliseconds the clock of a process or an object may be wrong, in either direction. */
  readonly clockErrorMaxMs: number
  /** Whether the Worker has a queue. */
  readonly hasQueue: boolean
  /** Decides whether a fault happens now. @param where the occasion, which names the decision */
  readonly strikes: (fault: Fault, where: string) => boolean
  /** To be called when the world has been set up: faults happen from now on. */
  readonly begin: () => void
  /** Ends all faults, now, except the part that stays broken. */
  readonly mend: (nowMs: number) => void
  readonly isMended: () => boolean
  /** Since when nothing goes wrong, in ms since 1970; null: faults go on. */
  readonly quietSinceMs: () => number | null
  /** Whether this run may have a fault. */
  readonly mayBe: (fault: Fault) => boolean
}

/**
 * Decides which faults a run has and how often. Most runs have only some of them, because with all of them few requests
 * get far enough for an interesting failure.
 */
export function decideFaults(decide: Decisions): Faults {
  const isCalm = decide.chance('run is calm', 8)
  const rates = new Map<string, number>()
  for (const [fault, most] of Object.entries(mostPerMille)) {
    const isLeftOut = isCalm || decide.chance(`${fault} is left out`, 45)
    rates.set(fault, isLeftOut ? 0 : 1 + decide.below(`rate of ${fault}`, most))
  }
  const neverMended = decide.pick<NeverMended>('never mended', [
    null,
    null,
    'email',
    'sms',
    'queue',
    'object',
  ])
  const clockErrorMaxMs = decide.pick('clock errors', [0, 50, 2000])
  let hasBegun = false
  let mendedAtMs: number | null = isCalm ? 0 : null
  let isMended = false
  return {
    isCalm,
    neverMended: isCalm ? null : neverMended,
    hasQueue: decide.chance('has a queue', 80),
    clockErrorMaxMs: isCalm ? 0 : clockErrorMaxMs,
    strikes: (fault, where) =>
      hasBegun && !isMended && decide.chance(`${fault} at ${where}`, (rates.get(fault) ?? 0) / 10),
    begin: () => {
      hasBegun = true
    },
    mend: (nowMs) => {
      isMended = true
      mendedAtMs ??= nowMs
    },
    quietSinceMs: () => mendedAtMs,
    isMended: () => isMended,
    mayBe: (fault) => (rates.get(fault) ?? 0) > 0,
  }
}
