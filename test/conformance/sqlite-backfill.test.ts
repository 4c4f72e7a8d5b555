import { expect, test } from 'vitest'
import type { Executor } from '../../adapters/sqlite/index.ts'
import { rowsOf } from '../../adapters/sqlite/statement/executor.ts'
import { chanceOf, changedData, generatedData } from '../support/analytics-data.ts'
import { bringLines } from '../support/bring-lines.ts'
import { migrationStatements } from '../support/d1.ts'
import { createScratchStorage } from '../support/scratch-storage.ts'
import { fakeClock } from '../support/fakes.ts'
import { openTestService } from '../support/service.ts'

test('keys stored before they had attributes may do everything, and have no end', async () => {
  const storage = createScratchStorage({ clock: fakeClock() })
  const columns = 'key_id, kind, organization_id, hash, secret_version, created_at, revoked_at'
  const sql = `insert into api_keys (${columns}) values ('k', 'tenant', 'acme', 'h', 'v', '2026-01-01T00:00:00.000Z', null)`
  await storage.database.batch([{ sql, parameters: [] }])
  const attributes = { label: null, scope: 'all', expiresAt: null, ratePerMinute: null }
  expect(await storage.administration.findKey('k')).toMatchObject({
    ...attributes,
    lastUsedAt: null,
    successorId: null,
  })
})

const MIGRATION = '0010_membership_analytics.sql'
const counts = ['membership_cohorts', 'membership_cancellations', 'membership_tenures']

/** The counts, and the tenure of each member. */
async function kept(database: Executor): Promise<readonly unknown[]> {
  const sorted = async (sql: string) =>
    (await rowsOf(database, { sql, parameters: [] })).map((row) => JSON.stringify(row)).sort()
  const tables = counts.map((table) => sorted(`select * from ${table} where members > 0`))
  return Promise.all([
    ...tables,
    sorted('select organization_id, membership_id, tenure_days from memberships'),
  ])
}

test('memberships stored before the counts were are counted by the migration as the triggers count', async () => {
  const storage = createScratchStorage({ clock: fakeClock() })
  const { database } = storage
  const run = (sql: string) => rowsOf(database, { sql, parameters: [] })
  const service = await openTestService(() => storage)
  for (const seed of [1, 2, 3]) {
    const chance = chanceOf(seed)
    const data = generatedData(chance, 60)
    await service.addOrganization(`org-${seed}`)
    for (const { memberships } of [data, changedData(chance, data)])
      await bringLines(service, `org-${seed}`, { memberships })
  }
  const before = await kept(database)
  const empty = async () => {
    for (const table of counts) await run(`delete from ${table}`)
  }
  await run('update memberships set tenure_days = null')
  await empty()

  const statements = await migrationStatements(MIGRATION)
  const fills = statements.filter((statement) => /^(UPDATE|INSERT)/.test(statement))
  expect(fills.map((statement) => statement.slice(0, 18))).toEqual([
    'UPDATE memberships',
    'INSERT INTO member',
    'INSERT INTO member',
    'INSERT INTO member',
  ])
  for (const statement of fills) {
    await run(statement)
    // In the migration there are no triggers yet when this one runs.
    if (statement.startsWith('UPDATE')) await empty()
  }
  expect(await kept(database)).toEqual(before)
})
