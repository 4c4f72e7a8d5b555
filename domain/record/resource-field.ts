import type { StoredRow } from '../../ports/records.ts'
import { timestamp, type Field } from './field.ts'
import type { Assigned } from './tally.ts'

/** Fills a field from another collection's row: the stored `by` field holds that row's id. */
export interface Join<By extends string = string> {
  readonly collection: string
  readonly by: By
  readonly field: string
}

/** The natural value of a field that an import may leave out. `now`: the time of the import. */
export type Default<Value = unknown> = { readonly value: Value } | 'now'

/** A field that is stored as imported. */
export interface Imported<Value = unknown> {
  readonly origin: 'imported'
  readonly field: Field<Value>
  /** What a new row has when its import leaves the field out; a stored row keeps what it has. Absent: it is required. */
  readonly default?: Default
  /** Given when a row that is written without the field keeps what is stored, which a null clears. */
  readonly mayBeLeftOut?: true
  /** Whether the field is a code: always imported, but published only when codes are requested. */
  readonly isCode?: true
  /** The collection that must have a row of this id when a line is imported. */
  readonly refersTo?: string
}

/** A stored field that the import of this resource makes itself. A line may not contain it. */
export interface Minted<Value = unknown> {
  readonly origin: 'minted'
  readonly field: Field<Value>
  /** As of an imported field: for one that is made of an imported field that may be left out. */
  readonly default?: Default
}

/** A stored field that the resource's `derive` computes from the imported ones. */
export interface DeclaredDerived<Value = unknown> {
  readonly origin: 'derived'
  readonly field: Field<Value>
}

/** A derived field with the function that computes it whenever the row is written. */
export interface Derived<Value = unknown> extends DeclaredDerived<Value> {
  readonly derive: (row: StoredRow) => Value
}

/** A field that is read from another collection. */
export interface Joined<Value = unknown, By extends string = string> {
  readonly origin: 'joined'
  readonly field: Field<Value>
  readonly join: Join<By>
}

/** A field that is not stored; the resource's `compute` computes it from the stored ones that it uses. */
export interface DeclaredComputed<
  Value = unknown,
  Uses extends string = string,
  Codes extends string = string,
> {
  readonly origin: 'computed'
  readonly field: Field<Value>
  readonly uses: readonly Uses[]
  /** The fields from which it is computed when the caller asks for codes; absent: the same fields as without codes. */
  readonly usesWithCodes?: readonly Codes[]
}

/** A computed field with the function that computes it whenever a row is published. */
export interface Computed<Value = unknown> {
  readonly origin: 'computed'
  readonly field: Field<Value>
  readonly uses: readonly string[]
  readonly compute: (row: StoredRow) => Value
  /**
   * The fields and the function with which it is computed when the caller requests codes; absent: the same as without
   * codes.
   */
  readonly withCodes?: Pick<Computed<Value>, 'uses' | 'compute'>
}

export type ResourceField = Imported | Minted | Assigned | Derived | Joined | Computed

/** A field as a record declares it. A plain one is imported. */
export type DeclaredField = Field | Imported | Minted | Assigned | DeclaredDerived | Joined | DeclaredComputed

/** A code that a customer redeems. It is published only when the caller requests codes. */
export function code<Value>(field: Field<Value>): Imported<Value> {
  return { origin: 'imported', field, isCode: true }
}

/** An id that an import accepts only when the collection has a row with that id. */
export function refersTo<Value>(collection: string, field: Field<Value>): Imported<Value> {
  return { origin: 'imported', field, refersTo: collection }
}

/** A field with a natural value, which an import may leave out: a new row has that value, a stored one keeps its own. */
export function orElse<Value>(field: Field<Value>, value: NoInfer<Value>): Imported<Value> {
  return { origin: 'imported', field, default: { value } }
}

/** An instant that an import may leave out: a new row has the time of the import, a stored one keeps its own. */
export function orNow(field: Field<string>): Imported<string> {
  return { origin: 'imported', field, default: 'now' }
}

/**
 * A field that not every write of a row has to say: a row that is written without it keeps what is stored at that moment,
 * and a new one has null. So what others change in it meanwhile is not undone.
 */
export function orKept<Value>(field: Field<Value | null>): Imported<Value | null> {
  return { origin: 'imported', field, mayBeLeftOut: true }
}

/**
 * A field that the import of the resource makes itself.
 * @param value what a new row has when the fields that it is made of are left out
 */
export function minted<Value>(field: Field<Value>, value?: NoInfer<Value>): Minted<Value> {
  return value === undefined ? { origin: 'minted', field } : { origin: 'minted', field, default: { value } }
}

/** A stored field that the record's `derive` computes whenever a row is written. */
export function derived<Value>(field: Field<Value>): DeclaredDerived<Value> {
  return { origin: 'derived', field }
}

/** A field of another collection's row. This row's field `by` contains the id of that row. */
export function joined<Value, const By extends string>(
  field: Field<Value>,
  join: Join<By>,
): Joined<Value, By> {
  return { origin: 'joined', field, join }
}

/**
 * A field that the record's `compute` computes from the stored fields that it uses.
 * @param usesWithCodes the fields from which `computeWithCodes` computes it when the caller requests codes
 */
export function computed<Value, const Uses extends string, const Codes extends string = never>(
  field: Field<Value>,
  uses: readonly Uses[],
  usesWithCodes?: readonly Codes[],
): DeclaredComputed<Value, Uses, Codes> {
  const plain = { origin: 'computed', field, uses } as const
  return usesWithCodes === undefined ? plain : { ...plain, usesWithCodes }
}

/** A field that only the store sets. */
export function assigned<Value>(field: Field<Value>): Assigned<Value> {
  return { origin: 'assigned', field, tally: null }
}

/** The instant at which the store last changed the row's content. It orders a forward sync. */
export function updatedAt(): Assigned<string> {
  return assigned(timestamp())
}
