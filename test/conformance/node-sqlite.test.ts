import { describe, test } from 'vitest'
import { runnerOf } from '../support/runner/case-runner.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { registerStorageSuite } from '../../adapters/conformance/index.ts'

describe('storage on node:sqlite', () => {
  registerStorageSuite(runnerOf(test), async (clock) => createScratchStorage({ clock }))
})
