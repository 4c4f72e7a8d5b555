import type { Field } from './field.ts'
import type { DeclaredComputed, DeclaredDerived, DeclaredField, Imported, Joined } from './resource-field.ts'

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
