/**
 * Whether a test tries every moment, seed and place that it knows, as .ci/nightly has it do. `npm test` tries some of
 * them, the same in every run.
 */
export const isThorough = process.env.EVERY_MOMENT === 'yes'

/** The one that applies of two numbers (of moments to step over, of seeds, of steps), or of two lists. */
export function thorough<Value>(all: Value, some: Value): Value {
  return isThorough ? all : some
}

/**
 * Those of all places of organizations that a test goes through. `npm test` takes the last, a database of their own:
 * there a change goes through the shared database's directory as well, so it has all calls of the shared place and more.
 */
export function triedPlaces<Place>(all: readonly Place[]): readonly Place[] {
  return thorough(all, all.slice(-1))
}
