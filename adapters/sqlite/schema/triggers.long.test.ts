import type { StatementSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import type { Tally } from '../../../domain/record/resource-field.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { sampleRow } from '../../../test/support/data/sample-rows.ts'
import { columnName } from '../statement/database.ts'
import { tableName } from '../tables.ts'
import { upsertStatements } from '../write/tenant-writer.ts'
import { migratedDatabase } from './actual.ts'
import { tallies, type TallySet } from './triggers.ts'

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

type Prepare = (sql: string) => StatementSync

/** A database with an organization. Each statement is prepared only once, because a few statements run for many rows. */
function openDatabase(): Prepare {
  const database = migratedDatabase()
  database.exec(`INSERT INTO organizations (organization_id, name, phone_country, billing_events, analytics,
    retention_offer_analytics, automation_hourly) VALUES ('acme', 'Acme', 'US', 1, 1, 1, 500)`)
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

type Row = Readonly<Record<string, unknown>>

/** The stored tallies of every row of a resource, those that its counted rows ask for, and when the row changed. */
function tallied(prepare: Prepare, { parent, child, by, fields }: TallySet): ReadonlyMap<string, Tallied> {
  const rowsOf = (collection: string): readonly Row[] =>
    prepare(`SELECT * FROM ${tableName(collection)}`).all()
  const counted = Map.groupBy(rowsOf(child.collection), (row) => row[columnName(by)])
  return new Map(
    rowsOf(parent.collection).map((row) => {
      const id = String(row[columnName(parent.idField)])
      const rows = counted.get(id) ?? []
      return [
        id,
        {
          kept: fields.map(([field, { of }]) =>
            of.kind === 'first_days'
              ? sorted(JSON.parse(String(row[columnName(field)])) as object[])
              : row[columnName(field)],
          ),
          due: fields.map(([, tally]) => recounted(tally, row, rows)),
          updatedAt: String(row.updated_at),
        },
      ]
    }),
  )
}

interface Tallied {
  readonly kept: readonly unknown[]
  readonly due: readonly unknown[]
  readonly updatedAt: string
}

/** A tally of rows, by looking at each of them. */
function recounted({ where, of }: Tally, parent: Row, all: readonly Row[]): unknown {
  const rows = all.filter((row) => {
    const value = where === null ? null : row[columnName(where.field)]
    if (where === null) return true
    return 'words' in where
      ? where.words.includes(String(value))
      : value !== null && Number(value) >= where.atLeast
  })
  switch (of.kind) {
    case 'count':
      return rows.length
    case 'sum':
      return rows.reduce((sum, row) => sum + Number(row[columnName(of.field)] ?? 0), 0)
    case 'latest': {
      const found = rows.map((row) => row[columnName(of.field)]).filter((value) => value !== null)
      return found.map(String).toSorted().at(-1) ?? null
    }
    case 'first_days': {
      const first = parent[columnName(of.from)]
      if (typeof first !== 'string') return []
      const start = Date.parse(first)
      const within = rows.filter((row) => {
        const at = Date.parse(String(row[columnName(of.at)]))
        return at >= start && at < start + of.days * 86_400_000
      })
      return sorted(
        within.map((row) => Object.fromEntries(of.fields.map((field) => [field, row[columnName(field)]]))),
      )
    }
  }
}

/** Objects as texts in a fixed order, because the list has none. */
function sorted(objects: readonly object[]): readonly string[] {
  return objects.map((one) => JSON.stringify(one)).sort()
}

const sets = tallies().map((set) => [`${set.parent.collection} of ${set.child.collection}`, set] as const)

test.each(sets)('the tallies of %s are those that its rows give', (_, set) => {
  const draw = createDraw()
  const prepare = openDatabase()
  let before = tallied(prepare, set)
  const counted = new Set<string>()
  for (let step = 0; step < STEPS; step += 1) {
    const [collection, row] = nextRow(set, draw)
    const now = new Date(Date.UTC(2026, 0, 1) + step * 1000).toISOString()
    upsert(prepare, collection, row, now)
    const after = tallied(prepare, set)
    for (const [id, { kept, due, updatedAt }] of after) {
      expect([step, id, kept]).toEqual([step, id, due])
      const old = before.get(id)
      const isSame = old === undefined || JSON.stringify(old.kept) === JSON.stringify(kept)
      // A client that reads changes in order must see every row whose tally changed.
      if (!isSame && old.updatedAt >= updatedAt) expect.fail(`step ${step}, ${id}: ${updatedAt}`)
      if (kept.every((value) => value !== 0 && value !== null)) counted.add(id)
    }
    before = after
  }
  expect(counted.size, 'rows with something in every tally').toBeGreaterThan(1)
})

// A move copies one table after the other, so a row may be there before the one whose trigger would make it.
test('what triggers insert may be there already, or is not inserted before the organization is', () => {
  const triggers = migratedDatabase()
    .prepare(
      `select t.name, t.sql from sqlite_schema as t join sqlite_schema as of on of.name = t.tbl_name
        where t.type = 'trigger' and of.type = 'table'`,
    )
    .all()
  const inserts = triggers.flatMap(({ name, sql }) =>
    [...String(sql).matchAll(/insert into [^;]*;/gi)].map(([text]) => ({ name, text })),
  )
  expect(inserts.length).toBeGreaterThan(20)
  for (const { name, text } of inserts)
    expect([name, text]).toEqual([name, expect.stringMatching(/on conflict|from organizations as/i)])
})
