import { createDraw } from '../../../host-worker/dev/demo/draw.ts'

type Decided = string | number | boolean | null

/**
 * What was decided in a run, by name, and there by how often the same had been decided before. Neutral decisions are left
 * out: zero, no, and the first of some choices.
 */
export type Recorded = Readonly<Record<string, Readonly<Record<string, Decided>>>>

/**
 * Everything that is left to chance in a run. Each decision has a name that says what it is about, so that a recorded one
 * still means the same when others are added, left out, or made in another order.
 */
export interface Decisions {
  /** A whole number from 0 up to, not including, `limit`. */
  below(what: string, limit: number): number
  /** Milliseconds from 0 up to, not including, `limitMs`, to a thousandth: of two waits, hardly ever both end at once. */
  delayMs(what: string, limitMs: number): number
  /** True in `percent` of 100 cases. */
  chance(what: string, percent: number): boolean
  pick<const Choice extends Decided>(what: string, choices: readonly [Choice, ...Choice[]]): Choice
  /** Decisions of somebody, whose names begin with theirs. */
  of(who: string): Decisions
  recorded(): Recorded
}

/** What a decision comes to. `draw` decides it by a draw; null: it is neutral. */
type Decide = <Value extends Decided>(
  what: string,
  nth: number,
  draw: (next: () => number) => Value,
) => Value | null

/** Decisions that are drawn from a seed. */
export function drawnDecisions(seed: number): Decisions {
  const source = createDraw(seed)
  const next = () => source.below(2 ** 32) / 2 ** 32
  return createDecisions((_what, _nth, draw) => draw(next))
}

/** Decisions as they were recorded. Those that were not are neutral. */
export function replayedDecisions(recorded: Recorded): Decisions {
  const decide: Decide = (what, nth) =>
    // The record is of this very decision, whose kind has not changed under the same name.
    (recorded[what]?.[String(nth)] ?? null) as never
  return createDecisions(decide)
}

function createDecisions(decide: Decide): Decisions {
  const counts = new Map<string, number>()
  const kept = new Map<string, Map<string, Decided>>()
  const made = <Value extends Decided>(
    what: string,
    neutral: Value,
    draw: (next: () => number) => Value,
  ): Value => {
    const nth = counts.get(what) ?? 0
    counts.set(what, nth + 1)
    const value = decide(what, nth, draw) ?? neutral
    if (value !== neutral) {
      const ofName = kept.get(what) ?? new Map<string, Decided>()
      kept.set(what, ofName.set(String(nth), value))
    }
    return value
  }
  const of = (prefix: string): Decisions => {
    const below = (what: string, limit: number) =>
      Math.max(
        0,
        Math.min(
          limit - 1,
          made(prefix + what, 0, (next) => Math.floor(next() * limit)),
        ),
      )
    return {
      below,
      delayMs: (what, limitMs) => below(what, limitMs * 1000) / 1000,
      chance: (what, percent) => made(prefix + what, false, (next) => next() * 100 < percent),
      pick(what, choices) {
        const [first] = choices
        const value = made(
          prefix + what,
          first,
          (next) => choices[Math.floor(next() * choices.length)] ?? first,
        )
        return choices.includes(value) ? value : first
      },
      of: (who) => of(`${prefix}${who} `),
      recorded: () =>
        Object.fromEntries([...kept].map(([what, values]) => [what, Object.fromEntries(values)])),
    }
  }
  return of('')
}
