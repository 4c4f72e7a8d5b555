import { joined, type Joined } from './resource-field.ts'
import {
  storedFields,
  type Only,
  type Resource,
  type ResourceOf,
  type RowOf,
  type StoredNameOf,
} from './resource.ts'
import type { Compute, Fields, NamesStored, StoredOf, ValueOf } from './row.ts'
import { withOrigin } from './with-origin.ts'

/** The published fields of another resource, without its id, joined through a field of this one. */
type JoinedFrom<Of extends Resource, By extends string> = {
  readonly [Name in Exclude<keyof Of['fields'], Of['idField']>]: Joined<ValueOf<Of['fields'][Name]>, By>
}

/** The published fields, except the id, of another resource whose row the field `by` refers to. */
export function joinedFrom<Of extends Resource, const By extends string>(of: Of, by: By): JoinedFrom<Of, By> {
  const entries = Object.entries(of.fields).filter(([name]) => name !== of.idField)
  const fields = entries.map(([name, { field }]) => [
    name,
    joined(field, { collection: of.collection, by, field: name }),
  ])
  // The compiler does not relate the names in a list of entries to the object made from it.
  return Object.fromEntries(fields) as JoinedFrom<Of, By>
}

/** A resource with some stored fields no longer published. */
type Summary<Whole extends Resource, DetailOnly extends keyof Whole['fields']> = ResourceOf<
  Omit<Whole['fields'], DetailOnly>,
  Whole['hidden'] & Pick<Whole['fields'], DetailOnly>,
  Whole['idField']
>

/**
 * A resource in the form in which a collection shows it: without the fields that only its detail has. Storage and
 * imports use the whole resource.
 * @param name the name of the schema of a collection's row in the contract document
 */
export function summaryOf<Whole extends Resource, const DetailOnly extends keyof Whole['fields'] & string>(
  whole: Whole,
  name: string,
  detailOnly: readonly DetailOnly[],
): Summary<Whole, DetailOnly> {
  const isShown = (field: string) => !detailOnly.some((left) => left === field)
  const entries = Object.entries(whole.fields)
  const fields = Object.fromEntries(entries.filter(([field]) => isShown(field)))
  const unpublished = Object.fromEntries(entries.filter(([field]) => !isShown(field)))
  const summary: Resource = { ...whole, name, fields, hidden: { ...whole.hidden, ...unpublished } }
  // Which fields have moved is known only by name, which the compiler does not track through the filters above.
  return summary as Summary<Whole, DetailOnly>
}

/** The row of a view: a field that the view declares has the view's type, which may be narrower. */
type ViewRow<Whole extends Resource, Published> = Omit<RowOf<Whole>, keyof StoredOf<Published>> &
  StoredOf<Published>

/** The hidden fields of a view: all other fields that the whole resource stores. */
type Unpublished<Whole extends Resource, Published> = Omit<
  StoredFields<Whole['fields']> & StoredFields<Whole['hidden']>,
  keyof StoredOf<Published>
>

type StoredFields<Some> = Pick<Some, keyof StoredOf<Some> & keyof Some>

type View<Whole extends Resource, Published extends Fields> = ResourceOf<
  Published,
  Unpublished<Whole, Published>,
  Whole['idField']
>

/**
 * Declares another resource over some rows of a stored one. Its fields are stored fields of that resource with the same
 * names, or are computed from those.
 */
export function viewOf<Whole extends Resource, Published extends Fields>(
  whole: Whole,
  view: {
    readonly name: string
    readonly description: string
    readonly only: Only<StoredNameOf<Whole>>
    readonly fields: Published &
      NamesStored<Published, StoredNameOf<Whole>> & {
        readonly [Name in Exclude<keyof StoredOf<Published>, StoredNameOf<Whole>>]: never
      }
  } & Compute<Published, ViewRow<Whole, Published>>,
): View<Whole, Published> {
  const { compute, computeWithCodes, ...said } = view
  const fields: Resource['fields'] = withOrigin<Fields>(said.fields, { compute, computeWithCodes })
  const hidden = Object.fromEntries(
    storedFields(whole).filter(([name]) => fields[name] === undefined || fields[name].origin === 'computed'),
  )
  const made: Resource = { ...whole, ...said, fields, hidden }
  // The names of the hidden fields come from a filter, which the compiler does not track.
  return made as View<Whole, Published>
}
