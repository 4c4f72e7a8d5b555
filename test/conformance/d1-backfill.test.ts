import type { D1Database } from '@cloudflare/workers-types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { chanceOf, changedData, generatedData } from '../support/analytics-data.ts'
import { bringLines } from '../support/bring-lines.ts'
import type { LocalD1 } from '../support/d1.ts'
import { migrationStatements, openLocalD1 } from '../support/d1.ts'
import { openTestService } from '../support/service.ts'

const MIGRATION = '0010_membership_analytics.sql'
const counts = ['membership_cohorts', 'membership_cancellations', 'membership_tenures']

let databases: LocalD1
beforeAll(async () => {
  databases = await openLocalD1(1)
})
afterAll(() => databases.dispose())

/** What is counted, and how long everybody stayed. */
async function kept(database: D1Database): Promise<readonly unknown[]> {
  const sorted = async (sql: string) =>
    (await database.prepare(sql).all()).results.map((row) => JSON.stringify(row)).sort()
  const tables = counts.map((table) => sorted(`select * from ${table} where members > 0`))
  return Promise.all([
    ...tables,
    sorted('select organization_id, membership_id, tenure_days from memberships'),
  ])
}

test('memberships stored before the counts were are counted by the migration as the triggers count', async () => {
  const database = await databases.next()
  const service = await openTestService((clock) => createD1Storage({ database, clock }))
  for (const seed of [1, 2, 3]) {
    const chance = chanceOf(seed)
    const data = generatedData(chance, 60)
    await service.addOrganization(`org-${seed}`)
    for (const { memberships } of [data, changedData(chance, data)])
      await bringLines(service, `org-${seed}`, { memberships })
  }
  const before = await kept(database)
  const empty = async () => {
    for (const table of counts) await database.prepare(`delete from ${table}`).all()
  }
  await database.prepare('update memberships set tenure_days = null').all()
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
    await database.prepare(statement).all()
    // In the migration there are no triggers yet when this one runs.
    if (statement.startsWith('UPDATE')) await empty()
  }
  expect(await kept(database)).toEqual(before)
})
