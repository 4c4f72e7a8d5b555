import type { Decisions } from './decisions.ts'

/** What can go wrong, and how often at most, in a thousand occasions. */
const mostPerMille = {
  /** A call of storage that fails before it does anything. */
  storageRefused: 40,
  /** A call of storage that takes effect, and whose answer is lost. */
  storageLost: 40,
  /** A call of storage, or its answer, that takes up to a minute and a half. */
  storageSlow: 15,
  /** A database that takes no writes for a while. */
  storageFull: 4,
  /** An object of a family that loses its memory, before a call or after it. */
  objectReset: 30,
  /** An alarm of an object that rings up to a minute late. */
  alarmLate: 100,
  providerSlow: 60,
  /** A provider that asks for patience. */
  providerThrottled: 100,
  /** A provider that answers with a failure of its own. */
  providerBroken: 100,
  /** A message that the provider takes, and whose answer is lost. */
  providerLost: 100,
  /** A provider that is down for minutes or hours. */
  providerDown: 10,
  queueRefused: 50,
  queueLost: 200,
  queueDoubled: 200,
  queueLate: 200,
  cronMissed: 200,
  cronDoubled: 100,
  requestLost: 30,
  answerLost: 60,
  /** A process that dies after a step. */
  death: 12,
  /** New root secrets, after a step. */
  rotation: 1,
  /** A new version of the service, after a step. */
  release: 1,
} as const

export type Fault = keyof typeof mostPerMille

/** The part that stays broken when everything else is mended; null: none. `object`: one family's database. */
export type NeverMended = 'email' | 'sms' | 'queue' | 'object' | null

/** The faults of one run. */
export interface Faults {
  /** Whether nothing goes wrong in the whole run. */
  readonly isCalm: boolean
  readonly neverMended: NeverMended
  /** Milliseconds by which the clock of a process or of an object may be wrong, in either direction. */
  readonly clockErrorMaxMs: number
  /** Whether the Worker has a queue. */
  readonly hasQueue: boolean
  /** Decides whether a fault happens now. @param where the occasion, which names the decision */
  readonly strikes: (fault: Fault, where: string) => boolean
  /** The world is founded: from now on things go wrong. */
  readonly begin: () => void
  /** From now on nothing goes wrong but what is never mended. */
  readonly mend: () => void
  readonly isMended: () => boolean
}

/**
 * Decides which faults a run has and how often: most runs have some of them only, because with all at once few things get
 * far enough to go wrong in an interesting way.
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
    mend: () => {
      isMended = true
    },
    isMended: () => isMended,
  }
}
