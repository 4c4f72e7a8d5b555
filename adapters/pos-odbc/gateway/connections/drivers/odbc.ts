import { createRequire } from 'node:module'
import { listOf, membersOf } from '../../../../../domain/text/json.ts'
import type { Statement } from '../../../../sql/statement.ts'
import { DatabaseError } from '../../errors.ts'
import type { RecordedRow } from '../../tables/column.ts'
import type { ConnectionSettings, DriverConnection } from './driver.ts'

/** The part of the package `odbc` that is used here. The package can only be built where unixODBC is installed. */
interface Odbc {
  connect(settings: { readonly connectionString: string; readonly loginTimeout: number }): Promise<{
    query(
      text: string,
      values?: Statement['parameters'],
      options?: { readonly initialBufferSize: number },
    ): Promise<readonly RecordedRow[]>
  }>
}

/** The name is kept in a constant, so that tools do not try to resolve a package that may not be installed. */
const PACKAGE = 'odbc'

/**
 * The size of the buffer into which a long value is first read, in bytes; a longer value takes further reads. Without
 * this setting, each value of a column without a length gets a buffer of the largest possible size, which takes about a
 * millisecond (measured on SQLite ODBC).
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
  // A package that may be missing provides no types here; the interface above follows its documentation.
  return require(PACKAGE) as Odbc
}

/** The package. A failure to load it is about the machine, so its text is one that the log may show. */
function loaded(): Odbc {
  try {
    return load()
  } catch (cause) {
    throw new DatabaseError('unknown', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Connects through unixODBC's driver manager. Rejects with a `DatabaseError` for what that or the database says. */
export async function openOdbc({
  connectionString,
  session,
}: Extract<ConnectionSettings, { driver: 'odbc' }>): Promise<DriverConnection> {
  const odbc = loaded()
  const connection = await attempt(() => odbc.connect({ connectionString, loginTimeout: LOGIN_TIMEOUT_S }))
  for (const statement of session) await attempt(() => connection.query(statement))
  return {
    async query({ sql, parameters }) {
      // The result carries its statement and parameters, too; only the rows leave this process.
      const rows = await attempt(() => connection.query(sql, parameters, { initialBufferSize: BUFFER_BYTES }))
      return [...rows]
    },
  }
}

async function attempt<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    throw saidByDriver(error) ?? error
  }
}

/** What the driver or its manager said; null: neither did, so the error is a mistake of this program. */
export function saidByDriver(error: unknown): DatabaseError | null {
  const { odbcErrors, message } = membersOf(error)
  if (odbcErrors === undefined) return null
  const { state = 'unknown', message: reason = message } = membersOf(listOf(odbcErrors)[0])
  return new DatabaseError(String(state), String(reason), { cause: error })
}
