import * as v from 'valibot'
import type { StoredRow } from '../../ports/query.ts'
import type { Field } from '../record/field.ts'
import type { Resource } from '../record/resource.ts'

/**
 * A row that lacks a value without which it is never published. The error carries the row's id and none of its values.
 */
export class UnpublishableRow extends Error {
  override readonly name = 'UnpublishableRow'
  readonly collection: string
  readonly rowId: string
  /** The field without a value. */
  readonly field: string

  constructor(collection: string, rowId: string, field: string) {
    super(`A row of ${collection} has no ${field}`)
    this.collection = collection
    this.rowId = rowId
    this.field = field
  }
}

/** A row as its resource declares it, or the field that does not fit. */
export type RowReading =
  { readonly kind: 'row'; readonly row: StoredRow } | { readonly kind: 'misfit'; readonly field: string }

/**
 * Checks the values of a row from an outside source: each selected field must be of its declared type. A source gives
 * exactly the selected fields, so its row is passed on unchanged. From a row with other fields, only the selected ones
 * are taken, an absent one as null. Throws `UnpublishableRow` for a row of valid types that lacks a value without which
 * it would mislead.
 */
export function checkedRow(of: Resource, select: readonly string[], given: StoredRow): RowReading {
  const missing: string[] = []
  for (const name of select) {
    const field = fieldOf(of, name)
    const value = given[name] ?? null
    const fits = v.is(field.schema, value)
    const mayLack = value === null && field.nullable
    if (!fits && !mayLack) return { kind: 'misfit', field: name }
    if (!fits) missing.push(name)
  }
  const [first] = missing
  if (first === undefined) return { kind: 'row', row: withOnly(select, given) }
  throw new UnpublishableRow(of.collection, String(given[of.idField]), first)
}

/** The row itself when it has exactly these fields in this order: a copy would be equal. */
function withOnly(select: readonly string[], given: StoredRow): StoredRow {
  const names = Object.keys(given)
  const isExact =
    names.length === select.length &&
    select.every((name, index) => names[index] === name && given[name] !== undefined)
  return isExact ? given : Object.fromEntries(select.map((name) => [name, given[name] ?? null]))
}

function fieldOf(of: Resource, name: string): Field {
  const entry = of.hidden[name] ?? of.fields[name]
  if (entry === undefined) throw new Error(`${of.collection} has no field ${name}`)
  return entry.field
}
