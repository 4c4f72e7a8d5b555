/** Draws random-looking values that are the same in every run. */
export interface Draw {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean
  /** One of the choices. */
  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice
}

/** Mulberry32, a generator of 32-bit numbers (public domain): fast, small, and random enough for tests. */
export function createDraw(seed: number): Draw {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
  }
}
