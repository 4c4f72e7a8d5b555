import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { openLegacyVendor, openLegacyVendorWriter } from '../../adapters/pos-legacy-vendor/index.ts'
import { systemClock, systemDeadline } from '../../host-worker/system.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { emptyDatabase, type LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { migratedImage, tablesOf } from '../support/databases/migrated-image.ts'
import { registerPosSuite, type MakePos } from '../../adapters/conformance/index.ts'

const image = migratedImage('pos-legacy-vendor')
const tables = tablesOf(image)

let databases: LocalD1
let local: D1Database

const make: MakePos = async () => {
  // The cases run one at a time, each on a database without rows.
  await emptyDatabase(local, tables)
  const database = createExecutor({ database: local, clock: systemClock, meter: createMeter() })
  return {
    kind: 'legacy_vendor',
    lacks: [],
    source: async (tenant) => openLegacyVendor({ database, deadline: systemDeadline }, tenant),
    load: async (tenant, collection, rows) => {
      await openLegacyVendorWriter(database, tenant).upsert(collection, rows)
    },
  }
}

describe('legacy vendor on D1', () => {
  beforeAll(async () => {
    databases = await openSharedD1(1, image)
    local = await databases.next()
  })
  afterAll(() => databases.dispose())

  registerPosSuite(runnerOf(test), make)
})
