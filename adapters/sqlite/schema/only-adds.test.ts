import { expect, test } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import { splitStatements } from '../migration.ts'
import { actualSchema, migrations, type Schema } from './actual.ts'

/** The migrations with which a database begins, and those of version 1.0.0. */
const BASELINE = ['0001_records.sql', '0002_service.sql']
const OF_FIRST_VERSION = '0006_erasures.sql'

/** What the new version runs on before it is uploaded, while the version before still serves. */
const before = migrations(false)
const retired = migrations().filter(({ name }) => !before.some((one) => one.name === name))

/**
 * The statements of a migration that take something away. Until a person says that nobody goes back to it, the version
 * before may run on the database, and an object may meet a version behind or ahead, so a migration only adds. A trigger, a
 * view or an index may be replaced by another of the same name.
 */
function takenAway(sql: string): readonly string[] {
  const statements = splitStatements(sql).map((statement) => statement.replaceAll(/\s+/g, ' '))
  const made = new Set(
    statements.map((statement) => /^create (?:unique )?(?:trigger|view|index) (\w+)/i.exec(statement)?.[1]),
  )
  return statements.filter((statement) => {
    const [, replaced] = /^drop (?:trigger|view|index) (\w+)/i.exec(statement) ?? []
    if (replaced !== undefined) return !made.has(replaced)
    return !/^(?:create |insert |update |alter table \w+ add column )/i.test(statement)
  })
}

/** Takes away the tables of lists' values, as `host-worker/deploy/README.md` says too. */
const EXCEPTION = '0007_orders.sql'
const OF_LISTS = /^drop (?:trigger|table) (?:products_site_ids|links_tags)(?:_\w+)?;$/i

test('after the baseline, a migration only adds', () => {
  expect(before.slice(0, BASELINE.length).map(({ name }) => name)).toEqual(BASELINE)
  for (const { name, sql } of before.slice(BASELINE.length)) {
    const taken = takenAway(sql).filter((statement) => name !== EXCEPTION || !OF_LISTS.test(statement))
    expect([name, taken]).toEqual([name, []])
  }
})

test('what is retired is indexes alone, and may be dropped again', () => {
  expect(retired.length).toBeGreaterThan(0)
  for (const { name, sql } of retired)
    for (const statement of splitStatements(sql))
      expect([name, statement]).toEqual([name, expect.stringMatching(/^drop index if exists \w+;$/i)])
})

test.each([
  ['DROP TABLE sites;', 1],
  ['ALTER TABLE sites DROP COLUMN name;', 1],
  ['ALTER TABLE sites RENAME COLUMN name TO title;', 1],
  ['DELETE FROM sites;', 1],
  ['DROP INDEX sites_updated_at;', 1],
  ['DROP TRIGGER t; CREATE TRIGGER t AFTER INSERT ON sites BEGIN DELETE FROM links; END;', 0],
  [
    'ALTER TABLE sites ADD COLUMN colour TEXT; CREATE INDEX i ON sites (colour); UPDATE sites SET colour = name;',
    0,
  ],
])('%s takes %i things away', (sql, count) => {
  expect(takenAway(sql)).toHaveLength(count)
})

/** A database on which these migrations ran, in this order. */
function migratedBy(files: readonly { readonly sql: string }[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of files) database.exec(sql)
  return database
}

const schemaOf = (database: DatabaseSync): Schema => actualSchema((sql) => database.prepare(sql).all())

const firstVersion = before.filter(({ name }) => name <= OF_FIRST_VERSION)
const uploaded = migratedBy(before)

test('whatever version 1.0.0 reads by an index finds one that begins with the same columns', () => {
  const there = new Map(schemaOf(uploaded).indexes.map((index) => [index.name, index]))
  const first = schemaOf(migratedBy(firstVersion)).indexes
  expect(first.length).toBeGreaterThan(100)
  for (const { name, table, columns, where } of first.filter(
    (index) => !OF_LISTS.test(`drop table ${index.table};`),
  )) {
    const index = there.get(name)
    expect({
      name,
      table: index?.table,
      columns: index?.columns.slice(0, columns.length),
      where: index?.where,
    }).toEqual({
      name,
      table,
      columns,
      where,
    })
  }
})

test('it makes no difference whether the indexes go in their turn or last', () => {
  expect(schemaOf(migratedBy([...before, ...retired]))).toEqual(schemaOf(migratedBy(migrations())))
})

/** Statements of version 1.0.0 that name an index which is retired since. */
const STATEMENTS = [
  `select t.contact_id from contacts as t indexed by contacts_site_id_created_at
    where t.organization_id = ?1 and t.site_id = ?2 order by t.created_at desc, t.contact_id desc limit +?3`,
  `select t.case_id from cases as t indexed by cases_status_updated_at where t.organization_id = ?1 and t.status = ?2
    order by t.updated_at asc, t.case_id asc limit +?3`,
  `select t.id from surveys as t indexed by surveys_survey_type_created_at where t.organization_id = ?1
    and t.survey_type = ?2 order by t.created_at desc, t.id desc limit +?3`,
  `select r.removal_id from removals as r indexed by removals_kept where r.updated_at < ?2 and ?1 is not null limit +?3`,
  `select r.kind from retention as r indexed by retention_due where r.due_at <= ?2 and ?1 is not null
    order by r.due_at, r.organization_id limit +?3`,
]

test.each(STATEMENTS)('version 1.0.0 goes on reading: %s', (sql) => {
  expect(uploaded.prepare(sql).all('acme', 'a', 10)).toEqual([])
  const now = migratedBy(migrations())
  expect(() => now.prepare(sql)).toThrow('no such index')
})
