import { describe, test } from 'vitest'
import { createMemoryPos } from '../../adapters/memory/index.ts'
import { runnerOf } from '../support/case-runner.ts'
import { registerPosSuite } from './index.ts'

describe.each(['legacy_vendor', 'odbc_shared', 'odbc_second'] as const)('%s in memory', (kind) => {
  registerPosSuite(runnerOf(test), async () => {
    const pos = createMemoryPos()
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
