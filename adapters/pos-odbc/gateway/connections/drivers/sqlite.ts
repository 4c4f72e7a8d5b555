import { DatabaseSync } from 'node:sqlite'
import { membersOf } from '../../../../../domain/text/json.ts'
import { DatabaseError } from '../../errors.ts'
import type { RecordedRow } from '../../tables/column.ts'
import type { ConnectionSettings, DriverConnection } from './driver.ts'

/** "Numeric value out of range" (SQLSTATE). */
const OUT_OF_RANGE = '22003'

/** Opens an embedded database to read. Throws a `DatabaseError` for what SQLite says. */
export function openSqlite({
  file,
  session,
}: Extract<ConnectionSettings, { driver: 'sqlite' }>): DriverConnection {
  const database = attempt(() => new DatabaseSync(file, { readOnly: true }))
  attempt(() => {
    for (const statement of session) database.exec(statement)
  })
  return {
    async query({ sql, parameters }) {
      // Every value that is selected is text, a whole number or null.
      return attempt(() => database.prepare(sql).all(...parameters) as readonly RecordedRow[])
    },
  }
}

function attempt<Value>(run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    throw saidBySqlite(error) ?? error
  }
}

/** What SQLite said, or what is wrong with a row; null: the error is a mistake of this program. */
function saidBySqlite(error: unknown): DatabaseError | null {
  const { code, message } = membersOf(error)
  if (code === 'ERR_SQLITE_ERROR') return new DatabaseError(code, String(message), { cause: error })
  // A row contains an integer that is too large for a JavaScript number. The message quotes it, as errors of data do.
  return code === 'ERR_OUT_OF_RANGE'
    ? new DatabaseError(OUT_OF_RANGE, String(message), { cause: error })
    : null
}
