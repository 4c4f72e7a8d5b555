import { describe, test } from 'vitest'
import { posKinds } from '../../domain/pos/index.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { createScratchPos } from '../support/scratch/scratch-pos.ts'
import { registerPosSuite } from '../../adapters/conformance/index.ts'

// One kind is the legacy vendor's adapter itself. The others are the stand-ins that tests use for ODBC sources.
describe.each(posKinds)('%s on node:sqlite', (kind) => {
  registerPosSuite(runnerOf(test), async () => {
    const pos = createScratchPos()
    return {
      kind,
      lacks: [],
      source: async (tenant) => pos.open({ kind, tenant }),
      load: async (tenant, collection, rows) => {
        await pos.writer({ kind, tenant }).upsert(collection, rows)
      },
    }
  })
})
