import type { TestAPI } from 'vitest'
import type { CaseRunner } from '../../conformance/index.ts'

/** Runs conformance cases as tests. A case that is skipped says why. */
export function runnerOf(test: TestAPI): CaseRunner {
  return {
    test: (name, run) => {
      test(name, run)
    },
    skip: (name, reason) => {
      test.skip(`${name} (${reason})`)
    },
  }
}
