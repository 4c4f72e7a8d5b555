/**
 * Prints the statements that would bring the migrated database to the schema of the records; with `--all`, those that
 * make that schema in an empty database, which 0001_records.sql contains.
 */
import { actualSchema, migratedDatabase, type Schema } from './actual.ts'
import { difference } from './difference.ts'
import { expectedSchema } from './expected.ts'

const NOTHING: Schema = { tables: [], indexes: [], triggers: [] }

function migratedSchema(): Schema {
  const database = migratedDatabase()
  return actualSchema((sql) => database.prepare(sql).all())
}

const isAll = process.argv.includes('--all')
const statements = difference(expectedSchema(), isAll ? NOTHING : migratedSchema())
// In an empty database, what a person writes by hand is always missing: the comments that say so are left out.
const printed = isAll ? statements.filter((statement) => statement.startsWith('CREATE')) : statements
process.stdout.write(printed.map((statement) => `${statement}\n`).join(''))
