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
 * The phases of an import in which it is interrupted, each as a range of `progressOf`: from 0 to 1 while parts are sent,
 * 1 while the whole file is checked, from 1 to 2 while it is written, 2 while what was staged of it is removed.
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

/** Whom a kill meets. */
export type Victim = 'client' | 'service'

/** The phases in which each is killed, the most telling first. A client has nothing left to do when an import settles. */
const order: Readonly<Record<Victim, readonly Phase[]>> = {
  client: ['writing, midway', 'uploading', 'checking', 'writing, early', 'writing, late'],
  service: ['writing, late', 'settling', 'uploading', 'writing, midway', 'checking', 'writing, early'],
}

/** A moment at which an import is interrupted. */
export interface Moment {
  readonly victim: Victim
  readonly phase: Phase
  /** The progress at which it comes. */
  readonly progress: number
}

/** So many moments, the client's first, then those of the service. @param draw a number from 0 to 1, each time another */
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

/** How far an import is, from 0 to 2; below 0: it was not opened yet. */
function progressOf(seen: SeenImport | null): number {
  if (seen === null) return -1
  if (seen.state === 'receiving') return seen.receivedBytes / seen.totalBytes
  // A decided import is past the check, even with no row written.
  return seen.state === 'writing' ? 1 + (seen.writtenRows + 1) / (seen.readRows + 1) : 2
}

const LOOK_EVERY_MS = 10

/** Looks at an import until it is as far as the moment, or past it. Returns what was seen last. */
export async function untilMoment(
  { progress }: Moment,
  look: () => Promise<SeenImport | null>,
): Promise<SeenImport | null> {
  for (;;) {
    const seen = await look()
    if (progressOf(seen) >= progress) return seen
    await pause(LOOK_EVERY_MS)
  }
}

/** Says where an import stands. */
export function describeImport(seen: SeenImport | null): string {
  if (seen === null) return 'not opened yet'
  const { state, receivedBytes, totalBytes, writtenRows, readRows } = seen
  if (state !== 'receiving') return `${state}, ${writtenRows} of ${readRows} rows written`
  if (receivedBytes === totalBytes) return 'checking the whole file'
  return `receiving, ${Math.round((100 * receivedBytes) / totalBytes)} % of the file has come`
}

/** Whether rows of an import were written, but not all of them. */
export function isHalfWritten(seen: SeenImport | null): boolean {
  return seen?.state === 'writing' && seen.writtenRows > 0 && seen.writtenRows < seen.readRows
}
