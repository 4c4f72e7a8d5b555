import type { Statement } from '../../../sql/statement.ts'
import type { RecordedRow } from '../tables/column.ts'
import type { ConnectionSettings } from './drivers/driver.ts'

/** What the gateway tells a process that holds a connection: first to open it, then one statement at a time. */
export type ToConnection =
  | { readonly kind: 'open'; readonly settings: ConnectionSettings }
  | { readonly kind: 'query'; readonly statement: Statement }

/** The answers of that process, one to each message, in order. A fault is a mistake of this program. */
export type FromConnection =
  | { readonly kind: 'rows'; readonly rows: readonly RecordedRow[] }
  | { readonly kind: 'failed'; readonly state: string; readonly message: string }
  | { readonly kind: 'fault'; readonly name: string; readonly place: string }
