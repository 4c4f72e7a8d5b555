/**
 * Whether a test tries every moment and every seed that it knows, as .ci/nightly has it do. `npm test` tries some of
 * them, the same in every run.
 */
const isThorough = process.env.EVERY_MOMENT === 'yes'

/** The one of two numbers that applies: of moments to step over, of seeds, of steps. */
export function thorough(all: number, some: number): number {
  return isThorough ? all : some
}
