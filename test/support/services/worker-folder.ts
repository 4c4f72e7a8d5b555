import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Starts a run of the tests with an empty directory for the built Worker, and removes it at the end. */
export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'built-worker-'))
  project.provide('builtWorker', directory)
  return () => {
    rmSync(directory, { recursive: true, force: true })
  }
}
