import * as v from 'valibot'
import type { StoredRow } from '../../ports/query.ts'
import type { Field } from './field.ts'
import type { Resource } from './resource.ts'

/** A row that lacks what it is never published without. It names the row by its id, and carries nothing else of it. */
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
 * Reads a row that a stranger made: exactly the selected fields, each of its declared type; an absent one is null.
 * Throws `UnpublishableRow` for one that fits but lacks a value without which it would mislead.
 */
export function checkedRow(of: Resource, select: readonly string[], given: StoredRow): RowReading {
  const row: Record<string, unknown> = {}
  const missing: string[] = []
  for (const name of select) {
    const field = fieldOf(of, name)
    const value = given[name] ?? null
    row[name] = value
    const fits = v.safeParse(field.schema, value).success
    const mayLack = value === null && field.nullable
    if (!fits && !mayLack) return { kind: 'misfit', field: name }
    if (!fits) missing.push(name)
  }
  const [first] = missing
  if (first === undefined) return { kind: 'row', row }
  throw new UnpublishableRow(of.collection, String(row[of.idField]), first)
}

function fieldOf(of: Resource, name: string): Field {
  const entry = of.hidden[name] ?? of.fields[name]
  if (entry === undefined) throw new Error(`${of.collection} has no field ${name}`)
  return entry.field
}
