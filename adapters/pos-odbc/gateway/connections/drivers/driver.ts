import type { Statement } from '../../../../sql/statement.ts'
import type { RecordedRow } from '../../tables/column.ts'

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
