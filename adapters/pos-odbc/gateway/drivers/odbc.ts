import { createRequire } from 'node:module'
import { DatabaseError } from '../errors.ts'
import type { RecordedRow } from '../neutral.ts'
import type { BoundValue } from '../sql.ts'
import type { ConnectionSettings, DriverConnection } from './driver.ts'
import { listOf, membersOf } from '../../../../domain/text/json.ts'

/** The parts of the package `odbc` that are used. Only a machine with unixODBC can build the package. */
interface Odbc {
  connect(settings: { readonly connectionString: string; readonly loginTimeout: number }): Promise<{
    query(
      text: string,
      values?: readonly BoundValue[],
      options?: { readonly initialBufferSize: number },
    ): Promise<readonly RecordedRow[]>
  }>
}

/**
 * The name is kept in a constant, because the package is installed on some machines only and tools must not try to
 * resolve it.
 */
const PACKAGE = 'odbc'

/**
 * What a long value is first read into, in bytes; a longer one takes further reads. Left out, each value of a column
 * without a length gets as many bytes as it might need, which takes about a millisecond (measured on SQLite ODBC).
 */
const BUFFER_BYTES = 4_096

/** Seconds that a driver may take to log in; the deadline of the request usually ends it earlier. */
const LOGIN_TIMEOUT_S = 10

/** Why the package `odbc` cannot be used; null: it can. */
export function odbcProblem(): string | null {
  try {
    load()
    return null
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  }
}

function load(): Odbc {
  const require = createRequire(import.meta.url)
  // A package that may be missing brings no types along; the interface above is what its documentation says.
  return require(PACKAGE) as Odbc
}

/** Connects through unixODBC's driver manager. Rejects with a `DatabaseError`. */
export async function openOdbc({
  connectionString,
  session,
}: Extract<ConnectionSettings, { driver: 'odbc' }>): Promise<DriverConnection> {
  const connection = await attempt(() => load().connect({ connectionString, loginTimeout: LOGIN_TIMEOUT_S }))
  for (const statement of session) await attempt(() => connection.query(statement))
  return {
    async query(text, values) {
      // The result carries its statement and parameters, too; only the rows leave this process.
      const rows = await attempt(() => connection.query(text, values, { initialBufferSize: BUFFER_BYTES }))
      return [...rows]
    },
  }
}

async function attempt<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    const { odbcErrors, message } = membersOf(error)
    const { state = 'unknown', message: reason = message } = membersOf(listOf(odbcErrors)[0])
    throw new DatabaseError(String(state), String(reason))
  }
}
