import { afterAll, beforeAll, describe, test } from 'vitest'
import { createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { openLegacyVendor, openLegacyVendorWriter } from '../../adapters/pos-legacy-vendor/index.ts'
import { systemClock, systemDeadline } from '../../host-worker/system.ts'
import { runnerOf } from '../support/case-runner.ts'
import type { LocalD1 } from '../support/d1.ts'
import { LEGACY_VENDOR_MIGRATIONS, openLocalD1 } from '../support/d1.ts'
import type { MakePos } from './index.ts'
import { posSuite, registerPosSuite } from './index.ts'

let databases: LocalD1

const make: MakePos = async () => {
  const database = createExecutor({
    database: await databases.next(),
    clock: systemClock,
    meter: createMeter(),
  })
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
    databases = await openLocalD1(posSuite.length, LEGACY_VENDOR_MIGRATIONS)
  })
  afterAll(() => databases.dispose())

  registerPosSuite(runnerOf(test), make)
})
