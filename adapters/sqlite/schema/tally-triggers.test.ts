import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Resource } from '../../../domain/record/resource.ts'
import { storedFields } from '../../../domain/record/resource.ts'
import type { StoredRow } from '../../../ports/query.ts'
import { sampleRow } from '../../../test/support/sample-rows.ts'
import { columnName, tableName } from '../table/tables.ts'
import { upsertStatements } from '../write/upsert.ts'
import { replacedTriggers } from './by-hand.ts'
import { migratedDatabase } from './migrated.ts'
import type { TallySet } from './tallies.ts'
import { tallies } from './tallies.ts'
import { tallyTriggers } from './tally-triggers.ts'

const STEPS = 300
const ROWS = 24
const PARENTS = 4
const SAMPLES = 4000

/** A linear congruential generator, which yields the same numbers in every run. */
function createDraw(): (below: number) => number {
  let state = 20_260_101n
  return (below) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
    return Number(state >> 33n) % below
  }
}

/**
 * A database with an organization. Its tallies are kept by the triggers of the migrations, or by generated ones in
 * their place.
 */
function databaseOf(kind: 'migrated' | 'generated'): DatabaseSync {
  const database = migratedDatabase()
  database.exec(`INSERT INTO organizations (organization_id, name, phone_country, billing_events, analytics,
    retention_offer_analytics) VALUES ('acme', 'Acme', 'US', 1, 1, 1)`)
  if (kind === 'migrated') return database
  for (const trigger of tallies().flatMap(tallyTriggers)) {
    const { name } = replacedTriggers.get(trigger.name) ?? trigger
    database.exec(`DROP TRIGGER ${name}; ${trigger.sql}`)
  }
  return database
}

type Prepare = (sql: string) => StatementSync

/** Prepares each statement only once, because a few statements run for many rows. */
function statementsOf(database: DatabaseSync): Prepare {
  const known = new Map<string, StatementSync>()
  return (sql) => {
    const statement = known.get(sql) ?? database.prepare(sql)
    known.set(sql, statement)
    return statement
  }
}

function upsert(prepare: Prepare, collection: string, row: StoredRow, now: string): void {
  for (const { sql, parameters } of upsertStatements('acme', collection, [row], now)) {
    prepare(sql).all(...parameters)
  }
}

/** A row with a random id, each of whose other fields is drawn from two samples. */
function rowOf(resource: Resource, draw: (below: number) => number, rows: number): StoredRow {
  const samples = [sampleRow(resource, draw(SAMPLES)), sampleRow(resource, draw(SAMPLES))]
  const own = sampleRow(resource, draw(rows))
  const { idField, alternateKey, key } = resource
  const row: Record<string, unknown> = {}
  for (const [name, { origin }] of storedFields(resource)) {
    if (origin !== 'assigned' && origin !== 'derived') row[name] = samples[draw(2)]?.[name]
  }
  if (key.length === 1) row[idField] = own[idField]
  if (alternateKey !== null) row[alternateKey] = own[alternateKey]
  for (const [name, entry] of storedFields(resource)) {
    if (entry.origin === 'derived') row[name] = entry.derive(row)
  }
  return row
}

/** A row that refers to one of a few parents, or to none if the sample refers to none. */
function countedRow({ parent, child, by }: TallySet, draw: (below: number) => number): StoredRow {
  const row = rowOf(child, draw, ROWS)
  return row[by] === null ? row : { ...row, [by]: sampleRow(parent, draw(PARENTS))[parent.idField] }
}

/** The next row to write: a parent, a row that parents count, or a row that such a row counts itself. */
function nextRow(set: TallySet, draw: (below: number) => number): readonly [collection: string, StoredRow] {
  if (draw(12) === 0) return [set.parent.collection, rowOf(set.parent, draw, PARENTS)]
  const below = tallies().find(({ parent }) => parent === set.child)
  if (below === undefined || draw(3) > 0) return [set.child.collection, countedRow(set, draw)]
  return [below.child.collection, countedRow(below, draw)]
}

/** The stored tallies of every row of a resource, with lists in a fixed order, and when the row changed. */
function kept(prepare: Prepare, { parent, fields }: TallySet): ReadonlyMap<string, Kept> {
  const rows = prepare(`SELECT * FROM ${tableName(parent.collection)}`).all()
  return new Map(
    rows.map((row) => {
      const values = fields.map(([field, { of }]) => {
        const value = row[columnName(field)]
        return of.kind === 'first_days'
          ? (JSON.parse(String(value)) as readonly object[]).map((one) => JSON.stringify(one)).sort()
          : value
      })
      const id = String(row[columnName(parent.idField)])
      return [id, { tallies: values, updatedAt: String(row.updated_at) }]
    }),
  )
}

interface Kept {
  readonly tallies: readonly unknown[]
  readonly updatedAt: string
}

const sets = tallies().map((set) => [`${set.parent.collection} of ${set.child.collection}`, set] as const)

test.each(sets)('%s are kept alike by the triggers of the migrations and of the records', (_, set) => {
  const draw = createDraw()
  const databases = [statementsOf(databaseOf('migrated')), statementsOf(databaseOf('generated'))]
  const before = databases.map((prepare) => kept(prepare, set))
  const counted = new Set<string>()
  for (let step = 0; step < STEPS; step += 1) {
    const [collection, row] = nextRow(set, draw)
    const now = new Date(Date.UTC(2026, 0, 1) + step * 1000).toISOString()
    const after = databases.map((prepare) => {
      upsert(prepare, collection, row, now)
      return kept(prepare, set)
    })
    const shown = after.map((rows) => [...rows].map(([id, { tallies: values }]) => [id, values]))
    expect(shown[1], `step ${step}`).toEqual(shown[0])
    for (const [index, rows] of after.entries()) {
      for (const [id, { tallies: values, updatedAt }] of rows) {
        const old = before[index]?.get(id)
        const isSame = old === undefined || JSON.stringify(old.tallies) === JSON.stringify(values)
        // A client that reads changes in order must see every row whose tally changed.
        if (!isSame && old.updatedAt >= updatedAt) expect.fail(`step ${step}, ${id}: ${updatedAt}`)
        if (values.every((value) => value !== 0 && value !== null)) counted.add(id)
      }
      before[index] = rows
    }
  }
  expect(counted.size, 'rows with something in every tally').toBeGreaterThan(1)
})
