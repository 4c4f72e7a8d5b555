/** How a test file went. */
export interface TestFileResult {
  readonly file: string
  readonly durationMs: number
  readonly passes: boolean
  /** The first test that failed, and why; empty when none did. */
  readonly problem: string
}

/** What the runner is asked: to run test files in this order. */
export interface RunnerRequest {
  readonly testFiles: readonly string[]
  /** The file that has changed since the last run, relative to the copy. */
  readonly changed: string | null
}

/** What the runner answers; `problem` when the tests could not be run. */
export interface RunnerAnswer {
  readonly results: readonly TestFileResult[]
  /** An error outside of all tests. */
  readonly problem: string | null
}
