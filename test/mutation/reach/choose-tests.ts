import type { Reach } from './record.ts'

/** The time that it takes to begin a test file, which counts for its order. */
const BEGIN_MS = 200

/** Which test files are run for a mutant, and in which order. */
export interface TestChoice {
  /**
   * Those of the test files that are run. First come the files beside the changed one, then those that noticed most
   * in the shortest time.
   */
  choose(file: string, testFiles: readonly string[]): readonly string[]
  /** Notes that a test file noticed a mutant. */
  noticed(testFile: string): void
}

/**
 * @param depth the share of the time of the whole suite that the tests of one mutant may take. What only a later test
 *   would notice counts as missed.
 */
export function createTestChoice(reach: Reach, depth: number): TestChoice {
  const counts = new Map<string, number>()
  const durationMs = (testFile: string) => reach[testFile]?.durationMs ?? 0
  const allowedMs = depth * Object.keys(reach).reduce((sum, testFile) => sum + durationMs(testFile), 0)
  const worth = (testFile: string) => ((counts.get(testFile) ?? 0) + 1) / (durationMs(testFile) + BEGIN_MS)
  return {
    choose(file, testFiles) {
      const folder = file.slice(0, file.lastIndexOf('/') + 1)
      const isBeside = (testFile: string) => Number(testFile.startsWith(folder))
      const ordered = testFiles.toSorted(
        (left, right) => isBeside(right) - isBeside(left) || worth(right) - worth(left),
      )
      let usedMs = 0
      return ordered.filter((testFile) => {
        usedMs += durationMs(testFile)
        return usedMs <= allowedMs || usedMs === durationMs(testFile)
      })
    },
    noticed(testFile) {
      counts.set(testFile, (counts.get(testFile) ?? 0) + 1)
    },
  }
}
