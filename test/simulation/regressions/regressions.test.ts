import { expect, test } from 'vitest'
import { simulate } from '../simulation.ts'
import { readRegressions } from './read.ts'
import { isThorough } from '../../support/runner/thorough.ts'

const regressions = readRegressions()

// Replaying a world takes seconds, so .ci/nightly alone does it; CI simulates fresh ones.
test.runIf(isThorough).each(regressions)('$name', async ({ decisions, steps, mutant, invariant }) => {
  // With the mistake planted again, the recorded decisions still lead to it, so they would find it in the service.
  const planted = await simulate({ from: decisions, steps, mutant })
  expect(planted.violation?.invariant).toBe(invariant)
  expect(planted.trace.length).toBeGreaterThan(10)
  expect((await simulate({ from: decisions, steps })).violation).toBeNull()
})
