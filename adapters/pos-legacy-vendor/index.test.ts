import { expect, test } from 'vitest'
import { customer } from '../conformance/pos.ts'
import { migratedImage } from '../../test/support/databases/migrated-image.ts'
import { systemDeadline } from '../../host-worker/system.ts'
import type { PageQuery, Position } from '../../ports/records.ts'
import { openImage } from '../node-sqlite/index.ts'
import type { Executor } from '../sqlite/index.ts'
import { openLegacyVendor, openLegacyVendorWriter } from './index.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/** A database that records the size of its answers in bytes. */
function metered(database: Executor): { readonly executor: Executor; readonly answered: number[] } {
  const answered: number[] = []
  const executor: Executor = {
    async batch(statements) {
      const results = await database.batch(statements)
      answered.push(Buffer.byteLength(JSON.stringify(results.map(({ rows }) => rows))))
      return results
    },
  }
  return { executor, answered }
}

const page: PageQuery = {
  kind: 'page',
  collection: 'pos-customers',
  select: ['customerId', 'firstName', 'createdAt'],
  where: [],
  order: { field: 'createdAt', idField: 'customerId', direction: 'descending' },
  after: null,
  limit: 500,
}

async function walk(executor: Executor): Promise<readonly unknown[]> {
  const source = openLegacyVendor({ database: executor, deadline: systemDeadline }, 'north')
  const ids: unknown[] = []
  for (let after: Position | null | undefined = null; after !== undefined;) {
    const found = await source.page({ ...page, after })
    if (found.kind !== 'page') throw new Error(found.kind)
    ids.push(...found.rows.map(({ customerId }) => customerId))
    after = found.next ?? undefined
  }
  return ids
}

test('no answer of the database is much larger than a page, whatever the rows hold', async () => {
  const database = openImage(migratedImage('pos-legacy-vendor'))
  const rows = Array.from({ length: 60 }, (_, index) =>
    customer(`c-${String(index).padStart(2, '0')}`, {
      firstName: 'x'.repeat(400_000),
      createdAt: index < 20 ? null : `2026-01-01T00:00:${index}.000Z`,
    }),
  )
  await openLegacyVendorWriter(database, 'north').upsert('pos-customers', rows)
  const { executor, answered } = metered(database)
  expect([...(await walk(executor))].sort()).toEqual(rows.map((row) => row.customerId))
  expect(Math.max(...answered)).toBeLessThan(PAGE_BYTES + 10_000)
})

test('a page of ordinary rows is one call', async () => {
  const database = openImage(migratedImage('pos-legacy-vendor'))
  const rows = Array.from({ length: 500 }, (_, index) => customer(`c-${index}`, { firstName: 'Ada' }))
  await openLegacyVendorWriter(database, 'north').upsert('pos-customers', rows)
  const { executor, answered } = metered(database)
  expect(await walk(executor)).toHaveLength(500)
  expect(answered).toHaveLength(1)
})

test('a row that cannot be read is no rejection, and its cause is kept for the log', async () => {
  const executor: Executor = {
    async batch(statements) {
      return statements.map(() => ({
        rows: [{ lineItems: 'no JSON' }],
        changes: 0,
        rowsRead: null,
        rowsWritten: null,
      }))
    },
  }
  const source = openLegacyVendor({ database: executor, deadline: systemDeadline }, 'north')
  const one = await source.one({
    kind: 'one',
    collection: 'pos-transactions',
    select: ['lineItems'],
    id: 't',
  })
  expect(one).toEqual({
    kind: 'unavailable',
    reason: 'the legacy vendor database failed',
    cause: expect.any(SyntaxError) as Error,
  })
})
