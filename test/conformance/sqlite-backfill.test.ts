import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { migrationsOf } from '../../adapters/node-sqlite/index.ts'
import { rowsOf } from '../../adapters/sqlite/statement/executor.ts'
import { chanceOf, changedData, generatedData } from '../support/analytics-data.ts'
import { bringLines } from '../support/bring-lines.ts'
import { fakeClock } from '../support/fakes.ts'
import type { ScratchStorage } from '../support/scratch-storage.ts'
import { createScratchStorage } from '../support/scratch-storage.ts'
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

const migrations = migrationsOf('sqlite')
const files = readdirSync(migrations)
  .filter((file) => file.endsWith('.sql'))
  .sort()

test('what imports kept of unfinished lines is removed, unless they go on and had no password', () => {
  const database = new DatabaseSync(':memory:')
  const apply = (wanted: (file: string) => boolean) => {
    for (const file of files.filter(wanted)) database.exec(readFileSync(new URL(file, migrations), 'utf8'))
  }
  apply((file) => file < '0032')
  for (const [id, kind, state] of [
    ['1', 'forms', 'receiving'],
    ['2', 'sites', 'receiving'],
    ['3', 'forms', 'done'],
    ['4', 'contacts', 'aborted'],
  ])
    database
      .prepare(
        `insert into import_sessions (organization_id, import_id, kind, format, total_bytes, digest, state, opened_at, touched_at,
           next_part, received_bytes, read_rows, problems, reading, chunks, written_chunks, written_rows, changed_rows)
         values ('acme', ?, ?, 'ndjson', 9, 'd', ?, 't', 't', 2, 1, 0, '[]', 'a line', 0, 0, 0, 0)`,
      )
      .run(String(id), String(kind), String(state))
  apply((file) => file >= '0032')
  expect(database.prepare('select state, reading from import_sessions order by import_id').all()).toEqual([
    { state: 'aborted', reading: '' },
    { state: 'receiving', reading: 'a line' },
    { state: 'done', reading: '' },
    { state: 'aborted', reading: '' },
  ])
  database.close()
})

test('of operator keys stored before their issuers were, those of a proof are told from all others', () => {
  const database = new DatabaseSync(':memory:')
  const [before, after] = [files.filter((file) => file < '0028'), files.filter((file) => file >= '0028')]
  const migrate = (names: readonly string[]) => {
    for (const name of names) database.exec(readFileSync(new URL(name, migrations), 'utf8'))
  }
  const add = (keyId: string, proof: string | null) =>
    database
      .prepare(
        `insert into operator_keys (key_id, operator, role, hash, secret_version, created_at, proof)
         values (?, 'ada', 'admin', 'h', 'v', '2026-01-01T00:00:00.000Z', ?)`,
      )
      .run(keyId, proof)
  migrate(before)
  add('by-proof', 'p1')
  add('by-key', null)
  migrate(after)
  // An earlier version of the service goes on for some minutes after the migration.
  add('by-key-later', null)
  const found = database.prepare('select key_id as id, issued_by as issuer from operator_keys').all()
  expect(Object.fromEntries(found.map(({ id, issuer }) => [id, issuer]))).toEqual({
    'by-proof': null,
    'by-key': 'unknown',
    'by-key-later': 'unknown',
  })
})

/** The tables that imports fill. A migration computes the tenure of each member whose row was stored before it. */
const imported = ['organizations', 'memberships']
const tenures = 'select organization_id, membership_id, tenure_days from memberships'

/** The figures that are derived from memberships, without counts that went down to zero. */
const ofMemberships = [tenures, 'select * from membership_cohorts where members > 0']

type Rows = readonly Readonly<Record<string, null | number | string>>[]

/** Three organizations whose lines were imported, and then imported again with changes. */
async function importedStorage(): Promise<ScratchStorage> {
  const storage = createScratchStorage({ clock: fakeClock() })
  const service = await openTestService(() => storage)
  for (const seed of [1, 2, 3]) {
    const chance = chanceOf(seed)
    const data = generatedData(chance, 60)
    await service.addOrganization(`org-${seed}`)
    for (const { memberships } of [data, changedData(chance, data)])
      await bringLines(service, `org-${seed}`, { memberships })
  }
  return storage
}

/**
 * A database with rows that were stored before a migration. That migration and all later ones have been applied to it.
 */
function migratedAfter(migration: string, stored: ReadonlyMap<string, Rows>): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  const apply = (file: string) => {
    database.exec(readFileSync(new URL(file, migrations), 'utf8'))
  }
  files.filter((file) => file < migration).forEach(apply)
  for (const [table, rows] of stored) {
    const columns = database
      .prepare(`pragma table_info(${table})`)
      .all()
      .map(({ name }) => String(name))
    for (const row of columns.length === 0 ? [] : rows) {
      const values = columns.map((column) => row[column] ?? null)
      const places = columns.map(() => '?').join()
      database.prepare(`insert into ${table} (${columns.join()}) values (${places})`).run(...values)
    }
  }
  files.filter((file) => file >= migration).forEach(apply)
  return database
}

let database: ScratchStorage['database']
beforeAll(async () => {
  database = (await importedStorage()).database
})

test('memberships stored before there were counts are counted as the triggers count', async () => {
  const migration = '0010_membership_analytics.sql'
  const read = (sql: string) => rowsOf(database, { sql, parameters: [] }) as Promise<unknown> as Promise<Rows>
  const stored = new Map<string, Rows>()
  for (const table of imported) stored.set(table, await read(`select * from ${table}`))
  expect(files).toContain(migration)
  const migrated = migratedAfter(migration, stored)
  for (const sql of ofMemberships) {
    const sorted = (rows: Rows) => rows.map((row) => JSON.stringify(row)).sort()
    const before = sorted(await read(sql))
    expect(before.length, sql).toBeGreaterThan(10)
    expect([sql, ...sorted(migrated.prepare(sql).all() as Rows)]).toEqual([sql, ...before])
  }
})
