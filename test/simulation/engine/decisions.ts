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

/**
 * Returns the value of a decision; null: it is neutral. `draw` makes a value of a number from 0 up to, not including, 1.
 */
type Decide = <Value extends Decided>(
  what: string,
  nth: number,
  draw: (fraction: number) => Value,
) => Value | null

/**
 * Decisions that are drawn from a seed: each from its own name and number, whatever was drawn before it, so that a seed
 * keeps most of its meaning when the service changes.
 */
export function drawnDecisions(seed: number): Decisions {
  return createDecisions((what, nth, draw) => draw(fractionOf(`${seed} ${nth} ${what}`)))
}

/** A number from 0 up to, not including, 1 that looks random: the hash cyrb53 of a text (public domain). */
function fractionOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 0x9e3779b1)
    low = Math.imul(low ^ code, 0x5f356495)
  }
  const mixed = (one: number, other: number) =>
    Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35)
  high = mixed(high, low)
  low = mixed(low, high)
  return ((high & 0x1fffff) * 2 ** 32 + (low >>> 0)) / 2 ** 53
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
    draw: (fraction: number) => Value,
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
          made(prefix + what, 0, (fraction) => Math.floor(fraction * limit)),
        ),
      )
    return {
      below,
      delayMs: (what, limitMs) => below(what, limitMs * 1000) / 1000,
      chance: (what, percent) => made(prefix + what, false, (fraction) => fraction * 100 < percent),
      pick(what, choices) {
        const [first] = choices
        const value = made(
          prefix + what,
          first,
          (fraction) => choices[Math.floor(fraction * choices.length)] ?? first,
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
