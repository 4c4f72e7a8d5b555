import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { splitStatements } from '../migration.ts'

const folder = new URL('../migrations/', import.meta.url)
/** The migrations with which a database begins. */
const BASELINE = ['0001_records.sql', '0002_service.sql']

/** Migrations that take away what the version before them uses, which `host-worker/deploy/README.md` says too. */
const RETIRING = ['0007_orders.sql']

/**
 * The statements of a migration that take something away. For some minutes after a deployment the version before still
 * runs on the database, and an object may meet a version behind or ahead, so a migration only adds. A trigger, a view or
 * an index may be replaced by another of the same name.
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

test('a migration that retires something takes away no rows but copies', () => {
  for (const file of RETIRING)
    for (const statement of takenAway(readFileSync(new URL(file, folder), 'utf8')))
      expect(statement).toMatch(/^drop (?:index|trigger|table (?:products_site_ids|links_tags);$)/i)
})

test('after the baseline, a migration only adds', () => {
  const files = readdirSync(folder).sort()
  expect(files.slice(0, BASELINE.length)).toEqual(BASELINE)
  for (const file of files.slice(BASELINE.length).filter((name) => !RETIRING.includes(name)))
    expect([file, takenAway(readFileSync(new URL(file, folder), 'utf8'))]).toEqual([file, []])
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
