import { readFileSync, writeFileSync } from 'node:fs'
import { eventKinds, type Counts, type EventKind } from './engine/coverage.ts'

// The seeds of `seeds.json`, by which CI shows in seconds what a search for seeds shows in an hour.

const path = new URL('seeds.json', import.meta.url)

export interface KnownSeeds {
  /** Seeds whose runs of so many steps together come across every kind of event. */
  readonly covering: readonly CoveringSeed[]
  /** A seed that finds each mutant, by its name. */
  readonly mutants: Readonly<Record<string, number>>
}

export interface CoveringSeed {
  readonly seed: number
  readonly steps: number
}

export function readKnownSeeds(): KnownSeeds {
  return JSON.parse(readFileSync(path, 'utf8')) as KnownSeeds
}

export function writeKnownSeeds(seeds: KnownSeeds): void {
  writeFileSync(path, `${JSON.stringify(seeds, null, 2)}\n`)
}

/** One run of a seed: how many events there were, of which kinds, and how much processor time they took, in ms. */
export interface Covered extends CoveringSeed {
  readonly events: number
  readonly coverage: Counts
  readonly usedMs: number
}

/** The kinds of events that none of the runs came across. */
export function missingKinds(runs: readonly Pick<Covered, 'coverage'>[]): readonly EventKind[] {
  return eventKinds.filter((kind) => !runs.some(({ coverage }) => coverage.has(kind)))
}

/** Some of the runs, which together come across all that the runs do, and take little time. */
export function fewCovering(runs: readonly Covered[]): readonly Covered[] {
  const chosen: Covered[] = []
  const left = new Set(runs.flatMap(({ coverage }) => [...coverage.keys()]))
  const worth = ({ coverage, usedMs }: Covered) =>
    [...coverage.keys()].filter((kind) => left.has(kind)).length / usedMs
  while (left.size > 0) {
    const best = runs.reduce((one, other) => (worth(other) > worth(one) ? other : one))
    for (const kind of best.coverage.keys()) left.delete(kind)
    chosen.push(best)
  }
  // One that was chosen early may have become needless.
  return chosen.reduce<readonly Covered[]>((kept, run) => {
    const others = kept.filter((one) => one !== run)
    return missingKinds(others).length === missingKinds(chosen).length ? others : kept
  }, chosen)
}
