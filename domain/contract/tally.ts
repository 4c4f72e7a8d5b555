import * as v from 'valibot'
import type { Field } from './field.ts'
import { integer, json, nullable, timestamp } from './field.ts'

/** A text field and the words of which it must hold one, or a number field and what it must reach. */
export type Condition =
  | { readonly field: string; readonly words: readonly string[] }
  | { readonly field: string; readonly atLeast: number }

/** What the store keeps of another collection's rows whose `by` field holds this row's id. */
export interface Tally {
  readonly collection: string
  readonly by: string
  /** Only those whose field is so; null: all of them. */
  readonly where: Condition | null
  /** Their number, the sum or the latest of one of their fields, or some fields of those of the row's first days. */
  readonly of:
    | { readonly kind: 'count' }
    | { readonly kind: 'sum'; readonly field: string }
    | { readonly kind: 'latest'; readonly field: string }
    | ({ readonly kind: 'first_days' } & FirstDays)
}

/** Rows whose `at`, an instant, lies within `days` days from the start of the UTC day that this row's `from` names. */
interface FirstDays {
  readonly at: string
  readonly from: string
  readonly days: number
  /** What is kept of each of them. */
  readonly fields: readonly string[]
}

/** A field that only the store sets (`updatedAt`, a form's `version`). */
export interface Assigned {
  readonly origin: 'assigned'
  readonly field: Field
  /** Null: it follows from this row's own history. */
  readonly tally: Tally | null
}

/**
 * How many rows of a collection refer to this one, and satisfy `where` when it is given. Kept by the store, so that a
 * list shows it without counting.
 */
export function countOf(collection: string, by: string, where: Condition | null = null): Assigned {
  return { origin: 'assigned', field: integer(0), tally: { collection, by, where, of: { kind: 'count' } } }
}

/** What a whole-number field of the rows that refer to this one adds up to; 0 while there are none. */
export function sumOf(collection: string, by: string, field: string): Assigned {
  const tally: Tally = { collection, by, where: null, of: { kind: 'sum', field } }
  return { origin: 'assigned', field: integer(), tally }
}

/** The latest instant in a field of the rows that refer to this one and satisfy `where`; null while there are none. */
export function latestOf(
  collection: string,
  by: string,
  field: string,
  where: Condition | null = null,
): Assigned {
  const tally: Tally = { collection, by, where, of: { kind: 'latest', field } }
  return { origin: 'assigned', field: nullable(timestamp()), tally }
}

/** Some fields of the rows that refer to this one, of its first days; in no order, none when `from` is null. */
export function firstDaysOf(
  declaration: Pick<Tally, 'collection' | 'by' | 'where'> &
    Omit<FirstDays, 'fields'> & { readonly item: v.StrictObjectSchema<v.ObjectEntries, undefined> },
): Assigned {
  const { collection, by, where, at, from, days, item } = declaration
  const of = { kind: 'first_days', at, from, days, fields: Object.keys(item.entries) } as const
  return { origin: 'assigned', field: json(v.array(item)), tally: { collection, by, where, of } }
}
