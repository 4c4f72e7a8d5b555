import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { listOf, membersOf } from '../../../domain/text/encoding.ts'
import type { Statement } from '../../sql/statement.ts'
import { DatabaseError } from './errors.ts'
import type { RecordedRow } from './tables.ts'

/** The settings with which the process that holds a connection opens it. */
export type ConnectionSettings =
  | {
      readonly driver: 'odbc'
      /** Carries the password, so it is never logged. */
      readonly connectionString: string
      readonly session: readonly string[]
    }
  | { readonly driver: 'sqlite'; readonly file: string; readonly session: readonly string[] }

/** A connection within the process that holds it. Methods reject with a `DatabaseError` for what the database says. */
export interface DriverConnection {
  query(statement: Statement): Promise<readonly RecordedRow[]>
}

/** Connects through unixODBC's driver manager. Rejects with a `DatabaseError` for what that or the database says. */
export async function openOdbc({
  connectionString,
  session,
}: Extract<ConnectionSettings, { driver: 'odbc' }>): Promise<DriverConnection> {
  const odbc = load()
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

/** Seconds that a driver may take to log in. The request that it does so for usually gives up earlier. */
const LOGIN_TIMEOUT_S = 10

/** The package. A failure to load it is about the machine, so its text is one that the log may show. */
function load(): Odbc {
  try {
    // A package that may be missing provides no types here; the interface above follows its documentation.
    return createRequire(import.meta.url)(PACKAGE) as Odbc
  } catch (cause) {
    throw new DatabaseError('unknown', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Why the package `odbc` cannot be used; null: it can. */
export function odbcProblem(): string | null {
  try {
    load()
    return null
  } catch (error) {
    return (error as DatabaseError).message.split('\n')[0] ?? ''
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

/** Opens an embedded database to read. Throws a `DatabaseError` for what SQLite says. */
export function openSqlite({
  file,
  session,
}: Extract<ConnectionSettings, { driver: 'sqlite' }>): DriverConnection {
  const database = attemptAtOnce(() => new DatabaseSync(file, { readOnly: true }))
  attemptAtOnce(() => {
    for (const statement of session) database.exec(statement)
  })
  return {
    async query({ sql, parameters }) {
      // Every value that is selected is text, a whole number or null.
      return attemptAtOnce(() => database.prepare(sql).all(...parameters) as readonly RecordedRow[])
    },
  }
}

/** "Numeric value out of range" (SQLSTATE). */
const OUT_OF_RANGE = '22003'

function attemptAtOnce<Value>(run: () => Value): Value {
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
