import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createD1Storage, createExecutor } from '../../adapters/d1/index.ts'
import type { Clock } from '../../ports/platform.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { ofShare } from '../support/runner/part.ts'
import { emptyDatabase, type LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { migratedImage, tablesOf } from '../support/databases/migrated-image.ts'
import { savingStatements } from '../support/databases/saving-statements.ts'
import { readOutbox } from '../support/scratch/scratch-storage.ts'
import {
  storageSuite,
  type MakeStorage,
  type SavedTenant,
  type StorageInstance,
} from '../../adapters/conformance/index.ts'

const tables = tablesOf(migratedImage())

let databases: LocalD1
let database: D1Database

function storageOn(clock: Clock): StorageInstance {
  const executor = createExecutor({ database, clock })
  return {
    ...createD1Storage({ database, clock }),
    outboxOf: (organizationId) => readOutbox(executor, organizationId),
  }
}

const cases = runnerOf(test)

// The cases run one at a time, each on a database without other rows.
const make: MakeStorage = Object.assign(
  async (clock: Clock) => {
    await emptyDatabase(database, tables)
    return storageOn(clock)
  },
  {
    holding: async (clock: Clock, tenants: readonly SavedTenant[]) => {
      await emptyDatabase(database, tables, await savingStatements(clock, tenants))
      return storageOn(clock)
    },
  },
)

describe('D1 storage', () => {
  beforeAll(async () => {
    databases = await openSharedD1()
    database = await databases.next()
  })
  afterAll(() => databases.dispose())

  // `npm test` runs every case on Node's SQLite.
  for (const one of ofShare(storageSuite)) cases.test(one.name, () => one.run(make))
})
