import type { StoredRow } from '../../ports/query.ts'
import type { Field } from './field.ts'
import { timestamp } from './field.ts'
import type { Assigned } from './tally.ts'

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
  /** A code: published only when codes are asked for, always imported. */
  readonly isCode?: true
  /** The collection that must have a row of this id when a line is imported. */
  readonly refersTo?: string
}

/** A stored field that the import of this resource makes itself: a line cannot carry it. */
interface Minted {
  readonly origin: 'minted'
  readonly field: Field
}

/** A field that is stored, computed from the rest of the row whenever the row is written. */
interface Derived {
  readonly origin: 'derived'
  readonly field: Field
  readonly derive: (row: StoredRow) => unknown
}

/** A field that is read from another collection. */
export interface Joined {
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
  /** What it is computed from, and how, when codes are asked for; absent: the same as without. */
  readonly withCodes?: Pick<Computed, 'uses' | 'compute'>
}

export type ResourceField = Imported | Minted | Assigned | Derived | Joined | Computed

/** A code that a customer redeems: published only when the caller asks for codes. */
export function code(field: Field): Imported {
  return { origin: 'imported', field, isCode: true }
}

/** An id that an import accepts only when that collection has it. */
export function refersTo(collection: string, field: Field): Imported {
  return { origin: 'imported', field, refersTo: collection }
}

export function minted(field: Field): Minted {
  return { origin: 'minted', field }
}

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
  withCodes?: { readonly uses: readonly string[]; readonly compute: (row: StoredRow) => Value },
): Computed {
  const plain = { origin: 'computed', field, uses, compute } as const
  return withCodes === undefined ? plain : { ...plain, withCodes }
}

export function assigned(field: Field): Assigned {
  return { origin: 'assigned', field, tally: null }
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
  /** The stored fields that tell the rows of an organization apart: the id alone, unless it recurs under each of another. */
  readonly key: readonly string[]
  /**
   * The collection of which the store itself keeps these rows, whoever else may read them: they follow it within
   * the same step, and can be read but not written. Null: they are written.
   */
  readonly keptFrom: string | null
  /** A stored field that tells rows of an organization apart as the id does; null: there is none. */
  readonly alternateKey: string | null
  /** Published fields, in the order in which they are published. */
  readonly fields: Readonly<Record<string, ResourceField>>
  /** Stored, never published. */
  readonly hidden: Readonly<Record<string, ResourceField>>
  /** Only those rows of the collection are of this resource; null: all of them. */
  readonly only: Only | null
}

/** A stored field that must have this value. */
export interface Only {
  readonly field: string
  readonly value: boolean
}

type Declared = Field | ResourceField

export interface ResourceDeclaration {
  readonly name: string
  readonly collection: string
  readonly description: string
  readonly idField: string
  readonly key?: readonly string[]
  readonly keptFrom?: string
  readonly alternateKey?: string
  readonly fields: Readonly<Record<string, Declared>>
  readonly hidden?: Readonly<Record<string, Declared>>
}

/** Declares a resource. A plain field is an imported one. */
export function resource(declaration: ResourceDeclaration): Resource {
  return {
    alternateKey: null,
    key: [declaration.idField],
    keptFrom: null,
    only: null,
    ...declaration,
    fields: withOrigin(declaration.fields),
    hidden: withOrigin(declaration.hidden ?? {}),
  }
}

/** Makes plain fields imported ones. */
export function withOrigin(fields: Readonly<Record<string, Declared>>): Record<string, ResourceField> {
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

/** Whether a field is left out unless codes are asked for. */
export function isCode(entry: ResourceField): boolean {
  return entry.origin === 'imported' && entry.isCode === true
}

/** Whether there is anything of a resource that is published only when codes are asked for. */
export function hasCodes(of: Resource): boolean {
  return Object.values(of.fields).some(
    (entry) => isCode(entry) || (entry.origin === 'computed' && entry.withCodes !== undefined),
  )
}

/** The published fields, computed ones as they are with or without codes. */
function publishedFields(of: Resource, codes: boolean): readonly (readonly [string, ResourceField])[] {
  return Object.entries(of.fields).flatMap(([name, entry]) => {
    if (codes && entry.origin === 'computed') return [[name, { ...entry, ...entry.withCodes }] as const]
    return !codes && isCode(entry) ? [] : [[name, entry] as const]
  })
}

/** The fields that must be read from storage to publish the resource; codes are not even read when not asked for. */
export function selection(of: Resource, codes = false): readonly string[] {
  const names = publishedFields(of, codes).flatMap(([name, entry]) =>
    entry.origin === 'computed' ? entry.uses : [name],
  )
  return [...new Set(of.only === null ? names : [...names, of.only.field])]
}

/**
 * Publishes rows: exactly the declared fields, in their order. Where nothing is computed and nothing else was read, a
 * row is what is published, and copying it would cost more than reading it did.
 * @param read the fields that the rows hold, `selection(of, codes)` and whatever else they were ordered by
 */
export function serializer(
  of: Resource,
  codes = false,
  read: readonly string[] = selection(of, codes),
): (row: StoredRow) => StoredRow {
  const plan = publishedFields(of, codes)
  const stored = new Set(plan.flatMap(([name, { origin }]) => (origin === 'computed' ? [] : [name])))
  if (stored.size === plan.length && read.every((name) => stored.has(name))) return (row) => row
  return (row) => {
    const published: Record<string, unknown> = {}
    for (const [name, entry] of plan) {
      published[name] = entry.origin === 'computed' ? entry.compute(row) : (row[name] ?? null)
    }
    return published
  }
}
