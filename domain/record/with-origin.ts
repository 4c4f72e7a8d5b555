import type { StoredRow } from '../../ports/records.ts'
import type { Field } from './field.ts'
import type {
  Computed,
  DeclaredComputed,
  DeclaredDerived,
  DeclaredField,
  Derived,
  Imported,
  ResourceField,
} from './resource-field.ts'
import type { Fields } from './row.ts'

/** Declared fields, with plain ones turned into imported ones. */
export type WithOrigin<Some extends Fields> = {
  readonly [Name in keyof Some]: Completed<Some[Name]>
}

type Completed<Declared> =
  Declared extends Field<infer Value>
    ? Imported<Value>
    : Declared extends DeclaredDerived<infer Value>
      ? Derived<Value>
      : Declared extends DeclaredComputed<infer Value>
        ? Computed<Value>
        : Declared extends ResourceField
          ? Declared
          : never

/** Functions of a record's rows, by the names of the fields that they compute. */
type Functions = Readonly<Record<string, (row: never) => unknown>>

/** A record's functions for its derived and computed fields. */
export interface FieldFunctions {
  readonly derive?: Functions | undefined
  readonly compute?: Functions | undefined
  readonly computeWithCodes?: Functions | undefined
}

/** Turns plain fields into imported ones, and gives derived and computed fields their functions. */
export function withOrigin<const Some extends Fields>(
  fields: Some,
  functions: FieldFunctions,
): WithOrigin<Some> {
  const entries = Object.entries(fields).map(([name, declared]) => [
    name,
    completed(name, declared, functions),
  ])
  // The compiler does not relate the names in a list of entries to the object made from it.
  return Object.fromEntries(entries) as WithOrigin<Some>
}

function completed(name: string, declared: DeclaredField, functions: FieldFunctions): ResourceField {
  if (!('origin' in declared)) return { origin: 'imported', field: declared }
  if (declared.origin === 'derived') return { ...declared, derive: ofStoredRow(name, functions.derive) }
  if (declared.origin !== 'computed') return declared
  const { origin, field, uses, usesWithCodes } = declared
  const plain = { origin, field, uses, compute: ofStoredRow(name, functions.compute) }
  if (usesWithCodes === undefined) return plain
  const withCodes = { uses: usesWithCodes, compute: ofStoredRow(name, functions.computeWithCodes) }
  return { ...plain, withCodes }
}

/** Drops the type of the row, because the compiler cannot infer that storage returns rows of the record's types. */
function ofStoredRow(name: string, functions: Functions = {}): (row: StoredRow) => unknown {
  const found = functions[name]
  if (found === undefined) throw new Error(`The record does not say how ${name} is made`)
  return found as (row: StoredRow) => unknown
}
