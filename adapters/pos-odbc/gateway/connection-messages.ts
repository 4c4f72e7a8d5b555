import type { ConnectionSettings } from './drivers/driver.ts'
import type { RecordedRow } from './neutral.ts'
import type { BoundValue } from './sql.ts'

/** What the gateway tells a process that holds a connection: first to open it, then one statement at a time. */
export type ToConnection =
  | { readonly kind: 'open'; readonly settings: ConnectionSettings }
  | { readonly kind: 'query'; readonly text: string; readonly values: readonly BoundValue[] }

/** The answers of that process, one to each message, in order. A fault is a mistake of this program. */
export type FromConnection =
  | { readonly kind: 'rows'; readonly rows: readonly RecordedRow[] }
  | { readonly kind: 'failed'; readonly state: string; readonly message: string }
  | { readonly kind: 'fault'; readonly name: string; readonly place: string }
