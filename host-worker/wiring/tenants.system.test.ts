import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMeter } from '../../adapters/d1/index.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import type { LocalD1 } from '../../test/support/databases/d1.ts'
import { migratedImage } from '../../test/support/databases/migrated-image.ts'
import { openSharedD1 } from '../../test/support/databases/shared-d1.ts'
import { openPosSources } from './tenants.ts'

const nothing = { posGateway: null, posLegacy: null }
const one = { kind: 'one', collection: 'pos-customers', select: ['customerId'], id: 'x' } as const
const page = {
  kind: 'page',
  collection: 'pos-customers',
  select: ['customerId', 'createdAt'],
  where: [],
  order: { field: 'createdAt', idField: 'customerId', direction: 'descending' },
  after: null,
  limit: 1,
} as const

let databases: LocalD1
beforeAll(async () => {
  databases = await openSharedD1(1, migratedImage('pos-legacy-vendor'))
})
afterAll(() => databases.dispose())

test.each([
  ['legacy_vendor', false, 'POS_LEGACY'],
  ['odbc_shared', true, 'POS_GATEWAY_URL'],
  ['odbc_second', true, 'POS_GATEWAY_URL'],
] as const)(
  '%s says what it lacks when it is not configured, and keeps its rules',
  async (kind, needsStart, lacks) => {
    const source = openPosSources(nothing, createMeter()).open({ kind, tenant: 'north' })
    expect(source.capabilities.customerTransactionsNeedStart).toBe(needsStart)
    for (const answer of [await source.page(page), await source.one(one)]) {
      expect(answer).toMatchObject({ kind: 'unavailable' })
      expect(JSON.stringify(answer)).toContain(lacks)
      expect(JSON.stringify(answer)).not.toContain('north')
    }
  },
)

test("the legacy vendor's database is counted as the storage is", async () => {
  const meter = createMeter()
  const tie: PosSourceTie = { kind: 'legacy_vendor', tenant: 'north' }
  const source = openPosSources({ ...nothing, posLegacy: await databases.next() }, meter).open(tie)
  expect(await source.page(page)).toEqual({ kind: 'page', rows: [], next: null })
  expect(await source.one(one)).toEqual({ kind: 'row', row: null })
  expect(meter.calls).toBe(2)
})
