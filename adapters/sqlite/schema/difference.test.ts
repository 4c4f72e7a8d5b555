import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { actualSchema, migratedDatabase, type Schema } from './actual.ts'
import { difference } from './difference.ts'
import { expectedSchema } from './expected.ts'

const schemaOf = (database: DatabaseSync) => actualSchema((sql) => database.prepare(sql).all())

const asMigrated = difference(expectedSchema(), schemaOf(migratedDatabase()))

/** The differences that are found after these statements were run on a migrated database. */
function after(statements: string, expected: Schema = expectedSchema()): readonly string[] {
  const database = migratedDatabase()
  database.exec(statements)
  return difference(expected, schemaOf(database)).filter((statement) => !asMigrated.includes(statement))
}

test('the database that the migrations make is the one that the records ask for', () => {
  expect(asMigrated, 'put what `npm run -s migration` prints into a migration').toEqual([])
})

test('an index that is missing, different or of no use is noticed', () => {
  const index =
    'CREATE INDEX contact_lists_created_at ON contact_lists (organization_id, created_at, list_id, type);'
  const drop = 'DROP INDEX contact_lists_created_at;'
  expect(after(drop)).toEqual([index])
  expect(after(`${drop} CREATE INDEX contact_lists_created_at ON contact_lists (type)`)).toEqual([
    drop,
    index,
  ])
  expect(after('CREATE INDEX cases_action ON cases (action)')).toEqual(['DROP INDEX cases_action;'])
  expect(after('DROP INDEX memberships_signup_date')).toEqual([
    'CREATE INDEX memberships_signup_date ON memberships (organization_id, signup_date DESC, membership_id);',
  ])
})

test('an index on a filter holds the rows that the filter can find, and no other', () => {
  const index =
    'CREATE INDEX contacts_phone_created_at ON contacts (organization_id, phone, created_at, contact_id)'
  const drop = 'DROP INDEX contacts_phone_created_at;'
  const wanted = [drop, `${index} WHERE phone IS NOT NULL;`]
  expect(after(`${drop} ${index}`)).toEqual(wanted)
  expect(after(`${drop} ${index} WHERE phone > ''`)).toEqual(wanted)
  expect(after(`${drop} ${index}\n  where  phone IS NOT NULL`)).toEqual([])
})

test('a field that a record has and the database lacks is added, and the other way round is said', () => {
  expect(after('ALTER TABLE sites DROP COLUMN latitude')).toEqual([
    'ALTER TABLE sites ADD COLUMN latitude REAL;',
  ])
  expect(after('ALTER TABLE sites DROP COLUMN timezone')).toEqual([
    "-- Choose what the rows of sites have that are there already.\nALTER TABLE sites ADD COLUMN timezone TEXT NOT NULL DEFAULT '';",
  ])
  expect(after('ALTER TABLE sites ADD COLUMN colour TEXT')).toEqual([
    '-- No record has sites.colour: ALTER TABLE sites DROP COLUMN colour;',
  ])
  expect(after('ALTER TABLE sites DROP COLUMN latitude; ALTER TABLE sites ADD COLUMN latitude TEXT')).toEqual(
    ['-- sites has latitude TEXT, not latitude REAL: make it anew.'],
  )
})

test('a table of no record, one that is missing and one that is not strict are noticed', () => {
  expect(after('CREATE TABLE boats (boat_id TEXT)')).toEqual(['-- No record has boats: DROP TABLE boats;'])
  expect(after('DROP TABLE sends')).toEqual(['-- sends is missing.'])
  const [create] = after('DROP TABLE contact_lists')
  expect(create).toBe(`CREATE TABLE contact_lists (
  organization_id TEXT NOT NULL,
  list_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  type TEXT NOT NULL,
  contact_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, list_id)
) STRICT;`)
  const [lax] = after(`DROP TABLE contact_lists; ${String(create).replace('STRICT', '')}`)
  expect(lax).toBe('-- contact_lists is not STRICT: make it anew.')
  const [other] = after(
    `DROP TABLE contact_lists; ${String(create).replace('organization_id, list_id', 'list_id')}`,
  )
  expect(other).toBe('-- contact_lists is keyed by list_id, not by organization_id, list_id: make it anew.')
})

test('triggers that are missing are printed, those of no record dropped', () => {
  const [removal, ...more] = after('DROP TRIGGER products_removed')
  expect(removal).toContain('CREATE TRIGGER products_removed AFTER DELETE ON products\n')
  const [tally, ...others] = after('DROP TRIGGER voucher_groups_recounts_vouchers')
  expect(tally).toContain('CREATE TRIGGER voucher_groups_recounts_vouchers AFTER UPDATE ON vouchers\n')
  expect([...more, ...others]).toEqual([])
  const changed = 'CREATE TRIGGER products_removed AFTER DELETE ON products BEGIN SELECT 1; END'
  expect(after(`DROP TRIGGER products_removed; ${changed}`)).toEqual([
    'DROP TRIGGER products_removed;',
    removal,
  ])
  expect(after('DROP TRIGGER reviews_hidden')).toEqual(['-- reviews_hidden is missing.'])
  expect(after('CREATE TRIGGER t AFTER INSERT ON sites BEGIN SELECT 1; END')).toEqual(['DROP TRIGGER t;'])
})

test('the statements for an empty database make one that is as asked for', () => {
  const database = migratedDatabase()
  const kept = "type IN ('table', 'trigger', 'index') AND name NOT LIKE 'sqlite_%'"
  const ours = new Set(expectedSchema().tables.map(({ name }) => name))
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE ${kept} AND type = 'table'`).all()
  for (const { name } of tables) if (ours.has(String(name))) database.exec(`DROP TABLE ${String(name)}`)
  const made = difference(expectedSchema(), schemaOf(database))
  database.exec(made.filter((statement) => !statement.startsWith('--')).join('\n'))
  const left = difference(expectedSchema(), schemaOf(database))
  expect(left.filter((statement) => !statement.endsWith(' is missing.'))).toEqual([])
})
