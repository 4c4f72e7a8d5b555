import { expect, type TestAPI } from 'vitest'
import type { CaseRunner } from '../../../adapters/conformance/index.ts'

/**
 * Runs conformance cases as tests. A case that is skipped says why. Cases assert without vitest, which counts as one
 * assertion here: that they end.
 */
export function runnerOf(test: TestAPI): CaseRunner {
  return {
    test: (name, run) => {
      test(name, () => expect(run()).resolves.toBeUndefined())
    },
    skip: (name, reason) => {
      test.skip(`${name} (${reason})`)
    },
  }
}
