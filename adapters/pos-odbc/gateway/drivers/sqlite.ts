import { DatabaseSync } from 'node:sqlite'
import { DatabaseError } from '../errors.ts'
import type { RecordedRow } from '../neutral.ts'
import type { ConnectionSettings, DriverConnection } from './driver.ts'
import { membersOf } from '../../../../domain/text/json.ts'

/** Opens an embedded database to read. Throws a `DatabaseError`. */
export function openSqlite({
  file,
  session,
}: Extract<ConnectionSettings, { driver: 'sqlite' }>): DriverConnection {
  const database = attempt(() => new DatabaseSync(file, { readOnly: true }))
  attempt(() => {
    for (const statement of session) database.exec(statement)
  })
  return {
    async query(text, values) {
      // Every value that is selected is text, a whole number or null.
      return attempt(() => database.prepare(text).all(...values) as readonly RecordedRow[])
    },
  }
}

function attempt<Value>(run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    const { code, message } = membersOf(error)
    throw new DatabaseError(typeof code === 'string' ? code : 'unknown', String(message))
  }
}
