import * as v from 'valibot'
import type { StoredRow } from '../../../ports/records.ts'
import { fieldTypeOf, type Resource } from '../../record/resource.ts'

/**
 * Thrown for a row that lacks a value without which it must not be published. The error contains the row's id and none
 * of its values.
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

/** The checked row, or the field that does not fit its declaration. */
export type RowReading =
  { readonly kind: 'row'; readonly row: StoredRow } | { readonly kind: 'misfit'; readonly field: string }

/**
 * Checks the values of a row from an outside source: each selected field must have its declared type. A row with
 * exactly the selected fields is passed on unchanged. From any other row only the selected fields are taken, with null
 * for a missing one. Throws `UnpublishableRow` for a row of valid types that lacks a value without which it would
 * mislead.
 */
export function checkedRow(of: Resource, select: readonly string[], given: StoredRow): RowReading {
  const missing: string[] = []
  for (const name of select) {
    const field = fieldTypeOf(of, name)
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

/**
 * A row with exactly these fields, in this order; a missing field becomes null. A row that has them already is returned
 * itself, because a copy would be equal.
 */
export function withOnly(select: readonly string[], given: StoredRow): StoredRow {
  const names = Object.keys(given)
  const isExact =
    names.length === select.length &&
    select.every((name, index) => names[index] === name && given[name] !== undefined)
  return isExact ? given : Object.fromEntries(select.map((name) => [name, given[name] ?? null]))
}
