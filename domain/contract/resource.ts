import type { StoredRow } from '../../ports/query.ts'
import type { Field } from './field.ts'
import { integer, nullable, timestamp } from './field.ts'

/** Fills a field from another collection's row: the stored `by` field holds that row's id. */
export interface Join {
  readonly collection: string
  readonly by: string
  readonly field: string
}

/** A field that is stored as imported. */
interface Imported {
  readonly origin: 'imported'
  readonly field: Field
}

/** What the store keeps of another collection's rows whose `by` field holds this row's id. */
export interface Tally {
  readonly collection: string
  readonly by: string
  /** Their number, or the latest value of one of their fields. */
  readonly of: { readonly kind: 'count' } | { readonly kind: 'latest'; readonly field: string }
}

/** A field that only the store sets (`updatedAt`, a form's `version`). */
interface Assigned {
  readonly origin: 'assigned'
  readonly field: Field
  /** Null: it follows from this row's own history. */
  readonly tally: Tally | null
}

/** A field that is stored, computed from the rest of the row whenever the row is written. */
interface Derived {
  readonly origin: 'derived'
  readonly field: Field
  readonly derive: (row: StoredRow) => unknown
}

/** A field that is read from another collection. */
interface Joined {
  readonly origin: 'joined'
  readonly field: Field
  readonly join: Join
}

/** A field that is not stored: computed from stored ones each time a row is published. */
interface Computed {
  readonly origin: 'computed'
  readonly field: Field
  readonly uses: readonly string[]
  readonly compute: (row: StoredRow) => unknown
}

export type ResourceField = Imported | Assigned | Derived | Joined | Computed

export function derived<Value>(field: Field<Value>, derive: (row: StoredRow) => Value): Derived {
  return { origin: 'derived', field, derive }
}

export function joined(field: Field, join: Join): Joined {
  return { origin: 'joined', field, join }
}

export function computed<Value>(
  field: Field<Value>,
  uses: readonly string[],
  compute: (row: StoredRow) => Value,
): Computed {
  return { origin: 'computed', field, uses, compute }
}

export function assigned(field: Field): Assigned {
  return { origin: 'assigned', field, tally: null }
}

/** How many rows of a collection refer to this one. Kept by the store, so that a list shows it without counting. */
export function countOf(collection: string, by: string): Assigned {
  return { origin: 'assigned', field: integer(0), tally: { collection, by, of: { kind: 'count' } } }
}

/** The latest instant in a field of the rows that refer to this one; null while there are none. */
export function latestOf(collection: string, by: string, field: string): Assigned {
  const tally: Tally = { collection, by, of: { kind: 'latest', field } }
  return { origin: 'assigned', field: nullable(timestamp()), tally }
}

/** The instant the store last saw the row's content change; it orders a forward sync. */
export function updatedAt(): Assigned {
  return assigned(timestamp())
}

/** One thing that is wrong with a line: the key (a dotted path) and why. */
export interface ImportIssue {
  readonly field: string
  readonly message: string
}

/** One resource: what is published and what is stored of it. Everything about it derives from this record. */
export interface Resource {
  /** Name of its schema in the contract document. */
  readonly name: string
  /** Name of its stored collection and of its import kind. */
  readonly collection: string
  readonly description: string
  readonly idField: string
  /** Published fields, in the order in which they are published. */
  readonly fields: Readonly<Record<string, ResourceField>>
  /** Stored, never published. */
  readonly hidden: Readonly<Record<string, ResourceField>>
}

type Declared = Field | ResourceField

interface ResourceDeclaration {
  readonly name: string
  readonly collection: string
  readonly description: string
  readonly idField: string
  readonly fields: Readonly<Record<string, Declared>>
  readonly hidden?: Readonly<Record<string, Declared>>
}

/** Declares a resource. A plain field is an imported one. */
export function resource(declaration: ResourceDeclaration): Resource {
  return {
    ...declaration,
    fields: withOrigin(declaration.fields),
    hidden: withOrigin(declaration.hidden ?? {}),
  }
}

function withOrigin(fields: Readonly<Record<string, Declared>>): Record<string, ResourceField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, declared]) => [
      name,
      'origin' in declared ? declared : { origin: 'imported', field: declared },
    ]),
  )
}

/** Every stored field of a resource, published ones first. */
export function storedFields(of: Resource): readonly (readonly [string, ResourceField])[] {
  return Object.entries({ ...of.fields, ...of.hidden }).filter(
    ([, { origin }]) => origin !== 'computed' && origin !== 'joined',
  )
}

/** The fields that must be read from storage to publish the resource. */
export function selection(of: Resource): readonly string[] {
  const names = Object.entries(of.fields).flatMap(([name, entry]) =>
    entry.origin === 'computed' ? entry.uses : [name],
  )
  return [...new Set(names)]
}

/**
 * Publishes rows that were read with `selection(of)`: exactly the declared fields, in their order. Where nothing is
 * computed, such a row is what is published, and copying it would cost more than reading it did.
 */
export function serializer(of: Resource): (row: StoredRow) => StoredRow {
  const plan = Object.entries(of.fields)
  if (plan.every(([, { origin }]) => origin !== 'computed')) return (row) => row
  return (row) => {
    const published: Record<string, unknown> = {}
    for (const [name, entry] of plan) {
      published[name] = entry.origin === 'computed' ? entry.compute(row) : (row[name] ?? null)
    }
    return published
  }
}
