import type { StoredRow } from '../../ports/records.ts'
import { timestamp, impersonal, integer, json, nullable, type Field } from './field.ts'
import * as v from 'valibot'

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
  /** Given when a stored row keeps its value whatever it is written with, so that only a new row takes what is given. */
  readonly isSettled?: true
  /** What people call the field at the head of a column, in several languages, besides its name. */
  readonly heads?: readonly string[]
  /** The values for which people write other words in the cells of a spreadsheet, by these words in lower case. */
  readonly words?: ReadonlyMap<string, Value>
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
interface Computed<Value = unknown> {
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
type DeclaredField = Field | Imported | Minted | Assigned | DeclaredDerived | Joined | DeclaredComputed

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
 * A field that an import gives to a new row alone: what has happened to a stored one since, here, is not undone by a file.
 */
export function settled<Value>(field: Imported<Value>): Imported<Value> {
  return { ...field, isSettled: true }
}

/** A field with what people call it at the head of a column. Case, accents, spaces and punctuation do not matter. */
export function headed<Value>(
  field: Field<Value> | Imported<Value>,
  heads: readonly string[],
): Imported<Value> {
  return 'origin' in field ? { ...field, heads } : { origin: 'imported', field, heads }
}

/** A field with the words that people write for its values in a cell. Case and outer white space do not matter. */
export function writtenAs<Value>(
  field: Imported<Value>,
  words: ReadonlyMap<string, NoInfer<Value>>,
): Imported<Value> {
  return { ...field, words }
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

/** Fields by name, as a record declares them. */
export type Fields = Readonly<Record<string, DeclaredField>>

/** The fields of a record that declares none. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- exactly no names is what it says
export type NoFields = Readonly<Record<never, never>>

type NotStored = { readonly origin: 'joined' | 'computed' }

/** The value of a declared field. */
export type ValueOf<Declared> =
  Declared extends Field<infer Value>
    ? Value
    : Declared extends { readonly field: Field<infer Value> }
      ? Value
      : never

/** The stored values of some declared fields. */
export type StoredOf<Some> = {
  readonly [Name in keyof Some as Some[Name] extends NotStored ? never : Name]: ValueOf<Some[Name]>
}

/** The values of the imported fields. Other fields can only be derived from these. */
type ImportedOf<Some> = {
  readonly [Name in keyof Some as Some[Name] extends Field | Imported ? Name : never]: ValueOf<Some[Name]>
}

/** A stored row of a record: its published fields and its hidden ones. */
export type Row<Published, Hidden> = StoredOf<Published> & StoredOf<Hidden>

/** The name of a stored field. */
export type StoredName<Published, Hidden> = keyof Row<Published, Hidden> & string

/**
 * The names of the record's own fields to which a declared field refers. The name of a field that is not stored does
 * not compile.
 */
type Named<Declared, Stored extends string> = Declared extends Joined
  ? { readonly join: { readonly by: Stored } }
  : Declared extends DeclaredComputed
    ? { readonly uses: readonly Stored[]; readonly usesWithCodes?: readonly Stored[] }
    : unknown

/** A constraint on declared fields: every field to which they refer must be stored. */
export type NamesStored<Declared, Stored extends string> = {
  readonly [Name in keyof Declared]: Named<Declared[Name], Stored>
}

/** A property that is required when its value has any members, and optional otherwise. */
type Given<Name extends string, Functions> = keyof Functions extends never
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Functions }

type Derivations<Some, From> = {
  readonly [Name in keyof Some as Some[Name] extends DeclaredDerived ? Name : never]: (
    row: From,
  ) => ValueOf<Some[Name]>
}

type Computations<Some, From> = {
  readonly [
    Name in keyof Some as Some[Name] extends DeclaredComputed ? Name : never
  ]: Some[Name] extends DeclaredComputed<infer Value, infer Uses>
    ? (row: Pick<From, Uses & keyof From>) => Value
    : never
}

type WithCodes<Some> = {
  readonly [
    Name in keyof Some as Some[Name] extends DeclaredComputed<unknown, string, infer Codes>
      ? [Codes] extends [never]
        ? never
        : Name
      : never
  ]: Some[Name]
}

type CodeComputations<Some, From> = {
  readonly [Name in keyof WithCodes<Some>]: Some[Name] extends DeclaredComputed<
    infer Value,
    string,
    infer Codes
  >
    ? (row: Pick<From, Codes & keyof From>) => Value
    : never
}

/** The functions that compute the derived fields of a record from its imported fields, one for each. */
export type Derive<Published, Hidden> = Given<
  'derive',
  Derivations<Published, ImportedOf<Published> & ImportedOf<Hidden>> &
    Derivations<Hidden, ImportedOf<Published> & ImportedOf<Hidden>>
>

/** The functions that make the computed fields from the stored fields that they use, one for each. */
export type Compute<Published, From> = Given<'compute', Computations<Published, From>> &
  Given<'computeWithCodes', CodeComputations<Published, From>>

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
