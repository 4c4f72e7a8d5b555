import * as v from 'valibot'
import { impersonal, integer, json, nullable, timestamp, type Field } from './field.ts'

/** A condition on a row: a text field and the words of which it must be one, or a number field and its minimum. */
export type Condition =
  | { readonly field: string; readonly words: readonly string[] }
  | { readonly field: string; readonly atLeast: number }

/**
 * A value that the store counts or sums over rows of another collection: those whose field `by` contains this row's id.
 */
export interface Tally {
  readonly collection: string
  readonly by: string
  /** The condition on the rows that are counted; null: all of them. */
  readonly where: Condition | null
  /**
   * What is kept: the number of rows, the sum or the latest value of one of their fields, or some fields of the rows
   * within this row's first days.
   */
  readonly of:
    | { readonly kind: 'count' }
    | { readonly kind: 'sum'; readonly field: string }
    | { readonly kind: 'latest'; readonly field: string }
    | ({ readonly kind: 'first_days' } & FirstDays)
}

/**
 * Selects rows by an instant in their field `at`, which must lie within `days` days from the start of the UTC day in
 * this row's field `from`.
 */
interface FirstDays {
  readonly at: string
  readonly from: string
  readonly days: number
  /** The fields that are kept of each selected row. */
  readonly fields: readonly string[]
}

/** A field that only the store sets, such as `updatedAt` or a form's `version`. */
export interface Assigned<Value = unknown> {
  readonly origin: 'assigned'
  readonly field: Field<Value>
  /** The tally that the store maintains; null: the value depends only on this row's own history. */
  readonly tally: Tally | null
}

/**
 * The number of rows of a collection that refer to this row and satisfy `where`, when it is given. The store maintains
 * it, so that a list shows it without counting.
 */
export function countOf(collection: string, by: string, where: Condition | null = null): Assigned<number> {
  return { origin: 'assigned', field: integer(0), tally: { collection, by, where, of: { kind: 'count' } } }
}

/** The sum of a whole-number field over the rows that refer to this one; 0 while there are none. */
export function sumOf(collection: string, by: string, field: string): Assigned<number> {
  const tally: Tally = { collection, by, where: null, of: { kind: 'sum', field } }
  return { origin: 'assigned', field: integer(), tally }
}

/** The latest instant in a field of the rows that refer to this one and satisfy `where`; null while there are none. */
export function latestOf(
  collection: string,
  by: string,
  field: string,
  where: Condition | null = null,
): Assigned<string | null> {
  const tally: Tally = { collection, by, where, of: { kind: 'latest', field } }
  return { origin: 'assigned', field: nullable(timestamp()), tally }
}

/**
 * Some fields of the rows that refer to this one and lie within its first days; in no order, and empty when `from` is
 * null.
 */
export function firstDaysOf<const Entries extends v.ObjectEntries>(
  declaration: Pick<Tally, 'collection' | 'by' | 'where'> &
    Omit<FirstDays, 'fields'> & { readonly item: v.StrictObjectSchema<Entries, undefined> },
): Assigned<v.InferOutput<v.StrictObjectSchema<Entries, undefined>>[]> {
  const { collection, by, where, at, from, days, item } = declaration
  const of = { kind: 'first_days', at, from, days, fields: Object.keys(item.entries) } as const
  return { origin: 'assigned', field: impersonal(json(v.array(item))), tally: { collection, by, where, of } }
}
