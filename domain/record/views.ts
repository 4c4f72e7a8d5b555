import type { Joined } from './resource-field.ts'
import { joined } from './resource-field.ts'
import type { Only, Resource, ResourceOf, RowOf, StoredNameOf } from './resource.ts'
import { storedFields } from './resource.ts'
import type { Compute, Fields, NamesStored, StoredOf, ValueOf } from './row.ts'
import { withOrigin } from './with-origin.ts'

/** The published fields of another resource, without its id, as fields that are joined through a field of this one. */
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
  // The compiler does not follow the names of a list of entries into the object made of them.
  return Object.fromEntries(fields) as JoinedFrom<Of, By>
}

/** A resource of which some stored fields are no longer published. */
type Summary<Whole extends Resource, DetailOnly extends keyof Whole['fields']> = ResourceOf<
  Omit<Whole['fields'], DetailOnly>,
  Whole['hidden'] & Pick<Whole['fields'], DetailOnly>,
  Whole['idField']
>

/**
 * The same resource as a collection shows it: without the fields that only its detail has. Storage and imports use the
 * whole resource.
 * @param name of the schema of a collection's row in the contract document
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
  // Which fields moved is known by their names alone, which the compiler does not follow through the filters above.
  return summary as Summary<Whole, DetailOnly>
}

/** The row of a view: a field that the view declares has the view's type, which may be narrower. */
type ViewRow<Whole extends Resource, Published> = Omit<RowOf<Whole>, keyof StoredOf<Published>> &
  StoredOf<Published>

/** The hidden fields of a view: every other field that the whole resource stores. */
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
 * Another resource made from some rows of a stored one. Its fields are stored fields of that resource with the same
 * names, or computed from them.
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
  // As above: the names of what is hidden come from a filter, which the compiler does not follow.
  return made as View<Whole, Published>
}
