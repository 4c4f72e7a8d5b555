import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createD1Storage, createExecutor } from '../../adapters/d1/index.ts'
import { runnerOf } from '../support/case-runner.ts'
import type { LocalD1 } from '../support/d1.ts'
import { emptyDatabase } from '../support/d1.ts'
import { openSharedD1 } from '../support/shared-d1.ts'
import { migratedImage, readOutbox, tablesOf } from '../support/scratch-storage.ts'
import type { MakeStorage } from './index.ts'
import { registerStorageSuite } from './index.ts'

const tables = tablesOf(migratedImage())

let databases: LocalD1
let database: D1Database

const make: MakeStorage = async (clock) => {
  // The cases run one at a time, each on a database without rows.
  await emptyDatabase(database, tables)
  const executor = createExecutor({ database, clock })
  return {
    ...createD1Storage({ database, clock }),
    outboxOf: (organizationId) => readOutbox(executor, organizationId),
  }
}

describe('D1 storage', () => {
  beforeAll(async () => {
    databases = await openSharedD1()
    database = await databases.next()
  })
  afterAll(() => databases.dispose())

  registerStorageSuite(runnerOf(test), make)
})
