import { createDraw } from '../../support/data/draw.ts'

type Decided = string | number | boolean | null

/**
 * The decisions of a run, by name and by how often a decision of that name was made before. Neutral decisions (zero,
 * no, and the first of several choices) are left out.
 */
export type Recorded = Readonly<Record<string, Readonly<Record<string, Decided>>>>

/**
 * All random choices of a run. Each decision has a name that says what it is about, so that a recorded decision keeps
 * its meaning when others are added, left out, or made in another order.
 */
export interface Decisions {
  /** A whole number from 0 up to, not including, `limit`. */
  below(what: string, limit: number): number
  /**
   * Milliseconds from 0 up to, not including, `limitMs`, with a resolution of a thousandth, so that two waits rarely
   * end at the same time.
   */
  delayMs(what: string, limitMs: number): number
  /** True in `percent` of 100 cases. */
  chance(what: string, percent: number): boolean
  pick<const Choice extends Decided>(what: string, choices: readonly [Choice, ...Choice[]]): Choice
  /** Decisions whose names begin with the name of an actor. */
  of(who: string): Decisions
  recorded(): Recorded
}

/** Returns the value of a decision. `draw` draws a value; null: the decision is neutral. */
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

/** Recorded decisions. Decisions that were not recorded are neutral. */
export function replayedDecisions(recorded: Recorded): Decisions {
  const decide: Decide = (what, nth) =>
    // The cast is safe because the record is of a decision with the same name, whose kind does not change.
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
