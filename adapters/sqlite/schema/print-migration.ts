/** Prints the statements that would bring the migrated database to the schema of the records. */
import { actualSchema } from './actual.ts'
import { difference } from './difference.ts'
import { expectedSchema } from './expected.ts'
import { migratedDatabase } from './migrated.ts'

const database = migratedDatabase()
const statements = difference(
  expectedSchema(),
  actualSchema((sql) => database.prepare(sql).all()),
)
process.stdout.write(statements.map((statement) => `${statement}\n`).join(''))
