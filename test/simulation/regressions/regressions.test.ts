import { expect, test } from 'vitest'
import { simulate } from '../simulation.ts'
import { readRegressions } from './read.ts'

const regressions = readRegressions()

test.each(regressions)('$name', async ({ decisions, steps, mutant, invariant }) => {
  // The decisions still lead to the mistake where it is planted again, so they would find it in the service.
  const planted = await simulate({ from: decisions, steps, mutant })
  expect(planted.violation?.invariant).toBe(invariant)
  expect(planted.trace.length).toBeGreaterThan(10)
  expect((await simulate({ from: decisions, steps })).violation).toBeNull()
})
