import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory in which each test file records what it exercised. */
    readonly contractSeen: string
  }
}

/** Statuses that no test can cause, with the reason. Every operation documents a 500, even one that cannot fail. */
const unreachable: Readonly<Record<string, string>> = {
  'forms_preflight 500': 'Its answer is a constant.',
}

/** A file that each whole run of the usual tests has, and no run of only the long ones or those of the system. */
const USUAL = '/test/contract/statuses.test.ts'

/**
 * Starts a run of the tests. At its end the run fails when the contract document has an operation or a status that no
 * request exercised. A run of only some tests is not checked.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'contract-seen-'))
  project.provide('contractSeen', directory)
  return async () => {
    const files = readdirSync(directory)
    const seen = new Set(files.flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')))
    rmSync(directory, { recursive: true })
    const { testFiles } = await project.globTestFiles()
    const isWhole = files.length >= testFiles.length && project.config.testNamePattern === undefined
    if (!isWhole || !testFiles.some((file) => file.endsWith(USUAL))) return
    const { operations } = await import('./contract-document.ts')
    const documented = operations.flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    )
    const missing = documented.filter((each) => !seen.has(each) && !Object.hasOwn(unreachable, each))
    const stale = Object.keys(unreachable).filter((each) => seen.has(each))
    if (missing.length === 0 && stale.length === 0) return
    throw new Error(
      `The contract document has what no test exercised: ${missing.join(', ') || 'nothing'}. ` +
        `Exercised although said to be unreachable: ${stale.join(', ') || 'nothing'}.`,
    )
  }
}
