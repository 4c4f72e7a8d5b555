import type { Mutant } from './mutant.ts'

export type Result = Pick<Mutant, 'file' | 'line' | 'kind' | 'before' | 'after'> & {
  /** `refused`: the compiler does not accept it. `unreached`: no test runs the changed code. */
  readonly outcome: 'killed' | 'timeout' | 'survived' | 'unreached' | 'refused'
  /** The test file that noticed it. */
  readonly by?: string
  /** The test that failed, and its error. */
  readonly reason?: string
  readonly durationMs: number
}

/** The counts of a folder's mutants. */
export interface Score {
  readonly killed: number
  readonly timeout: number
  readonly survived: number
  readonly unreached: number
  readonly refused: number
  /** The percentage of the accepted mutants that the tests noticed. */
  readonly percentage: number
}

export function scoreOf(results: readonly Result[]): Score {
  const count = (outcome: Result['outcome']) => results.filter((each) => each.outcome === outcome).length
  const [killed, timeout, survived, unreached] = [
    count('killed'),
    count('timeout'),
    count('survived'),
    count('unreached'),
  ]
  const accepted = killed + timeout + survived + unreached
  const percentage = accepted === 0 ? 100 : Math.round((1000 * (killed + timeout)) / accepted) / 10
  return { killed, timeout, survived, unreached, refused: count('refused'), percentage }
}

/** Whether the tests did not notice it. */
export function isMissed({ outcome }: Result): boolean {
  return outcome === 'survived' || outcome === 'unreached'
}

export function lineOf({ file, line, kind, before, after, outcome, by, durationMs }: Result): string {
  const seconds = (durationMs / 1000).toFixed(1)
  const noticed = by === undefined ? '' : ` by ${by}`
  const [short, changed] = withoutSame(before, after)
  return [
    `${outcome.padEnd(9)} ${file}:${line} (${kind}, ${seconds} s${noticed})`,
    `    - ${short}`,
    `    + ${changed}`,
  ].join('\n')
}

/** How much of what two lines share is shown before and after their difference. */
const CONTEXT = 70

/** Two texts without most of what they share at the beginning and the end. */
function withoutSame(before: string, after: string): readonly [string, string] {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same += 1
  let tail = 0
  while (tail < shorter - same && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const start = Math.max(same - CONTEXT, 0)
  const cut = Math.max(tail - CONTEXT, 0)
  const shown = (text: string) =>
    `${start === 0 ? '' : '…'}${text.slice(start, text.length - cut)}${cut === 0 ? '' : '…'}`
  return [shown(before), shown(after)]
}

export function scoreLine(folder: string, score: Score): string {
  const { killed, timeout, survived, unreached, refused, percentage } = score
  return `${folder}: ${percentage} % noticed (${killed} killed, ${timeout} timed out, ${survived} survived, ${unreached} not reached by a test; ${refused} refused by the compiler)`
}
