import { describe, expect, test } from 'vitest'
import { mutants } from './mutants/index.ts'
import { simulate } from './simulation.ts'

test('the same seed gives the same trace, byte for byte', async () => {
  const one = await simulate({ from: 8, steps: 300, keepsTrace: true })
  const other = await simulate({ from: 8, steps: 300, keepsTrace: true })
  expect(one.trace.length).toBeGreaterThan(200)
  expect(other.trace.join('\n')).toBe(one.trace.join('\n'))
})

// In each of the first three runs another part is never mended, in the last nothing goes wrong at all.
describe('what was promised comes true', () => {
  test.each([
    ['the email provider stays broken', 3, 'the email stays broken'],
    ['the SMS provider stays broken', 8, 'the sms stays broken'],
    ['the queue stays broken', 16, 'the queue stays broken'],
    ['nothing goes wrong', 46, 'faults end'],
  ])('%s (seed %i)', async (_, seed, remark) => {
    const run = await simulate({ from: seed, steps: 400, keepsTrace: true })
    expect(run.violation).toBeNull()
    expect(run.trace.filter((line) => line.includes(remark))).toHaveLength(1)
    expect(run.receipts).toBeGreaterThan(0)
  })
})

/** Runs that found a mistake in the service, and must not find it again. */
const regressions: readonly (readonly [found: string, seed: number, steps: number])[] = [
  ['an import of forms failed for an organization with a database of its own', 53, 500],
]

test.each(regressions)('%s (seed %i)', async (_, seed, steps) => {
  expect((await simulate({ from: seed, steps })).violation).toBeNull()
})

test('a planted mistake is found, with its seed, its step and the lines before it', async () => {
  const [mutant] = mutants
  if (mutant === undefined) throw new Error('There are no mutants')
  const run = await simulate({ from: 46, steps: 500, mutant })
  expect(mutant.name).toBe('the receipt is given before the commit')
  expect(run.violation).toMatchObject({ invariant: 'each receipt has its row' })
  expect(run.trace.length).toBeGreaterThan(10)
})

test('the platform is as it was after a run', async () => {
  await simulate({ from: 1, steps: 10 })
  expect(Object.keys(crypto.subtle)).toEqual([])
})
