import type { Recorded } from './engine/decisions.ts'
import { simulate, type SimulationOptions } from './simulation.ts'

/** A run that violates an invariant, reduced to few decisions. */
export interface Shrunk {
  readonly invariant: string
  readonly steps: number
  readonly decisions: Recorded
}

type Value = Recorded[string][string]
type Entry = readonly [what: string, nth: string, value: Value]

/**
 * Removes decisions of a run, which makes them neutral, as long as the rest violates the same invariant: first halves
 * of them, then smaller and smaller parts. Null: the run violates nothing.
 */
export async function shrink(options: SimulationOptions): Promise<Shrunk | null> {
  const { violation, decisions } = await simulate(options)
  if (violation === null) return null
  const { invariant } = violation
  const steps = Math.min(options.steps, violation.step + 1)
  const violates = async (entries: readonly Entry[]): Promise<boolean> => {
    const run = await simulate({ ...options, steps, from: recordedOf(entries) })
    return run.violation?.invariant === invariant
  }
  let entries = entriesOf(decisions)
  for (let parts = 2; ;) {
    const size = Math.ceil(entries.length / parts)
    const smaller = await withoutOne(entries, size, violates)
    if (smaller !== null) entries = smaller
    else if (size <= 1) return { invariant, steps, decisions: recordedOf(entries) }
    else parts = Math.min(entries.length, parts * 2)
  }
}

/** The entries without one part of the given size, if they can do without it; null: they need all parts. */
async function withoutOne(
  entries: readonly Entry[],
  size: number,
  violates: (entries: readonly Entry[]) => Promise<boolean>,
): Promise<readonly Entry[] | null> {
  let left = entries
  for (let start = 0; start < left.length;) {
    const without = [...left.slice(0, start), ...left.slice(start + size)]
    if (await violates(without)) left = without
    else start += size
  }
  return left.length < entries.length ? left : null
}

function entriesOf(recorded: Recorded): readonly Entry[] {
  return Object.entries(recorded).flatMap(([what, values]) =>
    Object.entries(values).map(([nth, value]): Entry => [what, nth, value]),
  )
}

function recordedOf(entries: readonly Entry[]): Recorded {
  const byName = Map.groupBy(entries, ([what]) => what)
  return Object.fromEntries(
    [...byName].map(([what, of]) => [what, Object.fromEntries(of.map(([, nth, value]) => [nth, value]))]),
  )
}
