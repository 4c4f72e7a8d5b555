import type { ColumnName } from './column-name.ts'
import type { JsonText } from './json-text.ts'

/** A value as SQLite stores it: a truth value as 0 or 1, an object as JSON. */
type Stored<Value> = Value extends string | number | null
  ? Value
  : Value extends boolean
    ? number
    : JsonText<Value>

/** The row of a type: its fields in snake case. */
export type StoredRow<Of> = { readonly [Name in keyof Of & string as ColumnName<Name>]: Stored<Of[Name]> }
