import { seededRandom } from '../runner/fakes.ts'

/** Draws random-looking values that are the same in every run. */
export interface Draw {
  /** A whole number from 0 up to, not including, `limit`. */
  readonly below: (limit: number) => number
  /** True in `percent` of 100 cases. */
  readonly chance: (percent: number) => boolean
  /** One of the choices. */
  readonly pick: <Choice>(choices: readonly [Choice, ...Choice[]]) => Choice
}

/** @param seed any whole number */
export function createDraw(seed: number): Draw {
  const next = seededRandom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
  }
}
