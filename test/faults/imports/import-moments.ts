import { setTimeout as pause } from 'node:timers/promises'

/** An import, as the operator interface shows it. */
export interface SeenImport {
  readonly state: string
  readonly totalBytes: number
  readonly receivedBytes: number
  readonly writtenRows: number
  readonly changedRows: number
  readonly readRows: number
}

/**
 * The phases in which an import is interrupted, each as a range of `progressOf`: from 0 to 1 while parts are sent, 1
 * while the whole file is checked, from 1 to 2 while rows are written, 2 while the staged data is removed.
 */
const phases = {
  uploading: [0.02, 0.98],
  checking: [1, 1],
  'writing, early': [1.02, 1.3],
  'writing, midway': [1.3, 1.7],
  'writing, late': [1.7, 1.98],
  settling: [2, 2],
} as const satisfies Readonly<Record<string, readonly [number, number]>>

export type Phase = keyof typeof phases

/** The process that is killed. */
export type Victim = 'client' | 'service'

/**
 * The phases in which each process is killed, the most informative first. When an import settles, its client has
 * nothing left to do.
 */
const order: Readonly<Record<Victim, readonly Phase[]>> = {
  client: ['writing, midway', 'uploading', 'checking', 'writing, early', 'writing, late'],
  service: ['writing, late', 'settling', 'uploading', 'writing, midway', 'checking', 'writing, early'],
}

/** A moment at which an import is interrupted. */
export interface Moment {
  readonly victim: Victim
  readonly phase: Phase
  /** The progress at which the moment comes. */
  readonly progress: number
}

/**
 * Draws this many moments: first those for the client, then those for the service.
 * @param draw returns another number from 0 to 1 at each call
 */
export function drawMoments(count: number, draw: () => number): readonly Moment[] {
  const ofClient = Math.ceil(count / 2)
  const of = (victim: Victim, moments: number): readonly Moment[] =>
    Array.from({ length: moments }, (_, index) => {
      const phase = order[victim][index % order[victim].length] ?? 'uploading'
      const [from, to] = phases[phase]
      return { victim, phase, progress: from + draw() * (to - from) }
    })
  return [...of('client', ofClient), ...of('service', count - ofClient)]
}

/** The progress of an import, from 0 to 2; below 0: it has not been opened. */
function progressOf(seen: SeenImport | null): number {
  if (seen === null) return -1
  if (seen.state === 'receiving') return seen.receivedBytes / seen.totalBytes
  // A decided import is past the check, even with no row written.
  return seen.state === 'writing' ? 1 + (seen.writtenRows + 1) / (seen.readRows + 1) : 2
}

const LOOK_EVERY_MS = 10

/**
 * Polls an import until it has reached the moment. Returns the state that was seen last. On a fast machine an import is
 * written in two or three steps, and no look comes between them and the end. So a moment of writing has come, too, when
 * another step as long as the last one would be the end.
 */
export async function untilMoment(
  { progress }: Moment,
  look: () => Promise<SeenImport | null>,
): Promise<SeenImport | null> {
  let before = 1
  for (;;) {
    const seen = await look()
    const at = progressOf(seen)
    if (at >= progress) return seen
    if (progress < 2 && isHalfWritten(seen) && at + (at - before) >= 2) return seen
    before = Math.max(1, at)
    await pause(LOOK_EVERY_MS)
  }
}

/** Describes the progress of an import. */
export function describeImport(seen: SeenImport | null): string {
  if (seen === null) return 'not opened yet'
  const { state, receivedBytes, totalBytes, writtenRows, readRows } = seen
  if (state !== 'receiving') return `${state}, ${writtenRows} of ${readRows} rows written`
  if (receivedBytes === totalBytes) return 'checking the whole file'
  return `receiving, ${Math.round((100 * receivedBytes) / totalBytes)} % of the file has come`
}

/** Whether some of an import's rows have been written, but not all. */
export function isHalfWritten(seen: SeenImport | null): boolean {
  return seen?.state === 'writing' && seen.writtenRows > 0 && seen.writtenRows < seen.readRows
}
