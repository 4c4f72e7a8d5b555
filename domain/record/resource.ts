import type { StoredRow } from '../../ports/records.ts'
import type { Field } from './field.ts'
import {
  withOrigin,
  joined,
  type ResourceField,
  type FieldFunctions,
  type WithOrigin,
  type Compute,
  type Derive,
  type Fields,
  type NamesStored,
  type NoFields,
  type Row,
  type StoredName,
  type Joined,
  type StoredOf,
  type ValueOf,
} from './resource-field.ts'

/** One problem of a line: the key (a dotted path) and what is wrong with it. */
export interface ImportIssue {
  readonly field: string
  readonly message: string
}

/**
 * A resource: its published and its stored fields. Tables, imports, routes and the contract document are all derived
 * from this record.
 */
export interface Resource {
  /** Name of its schema in the contract document. */
  readonly name: string
  /** Name of its stored collection and of its import kind. */
  readonly collection: string
  readonly description: string
  readonly idField: string
  /**
   * The stored fields that identify a row within an organization: the id alone, unless rows of different parents may
   * have the same id.
   */
  readonly key: readonly string[]
  /** Whether an id is unique across all organizations, so that the id alone leads to its organization. */
  readonly serviceWideIds: boolean
  /**
   * The collection from which the store makes these rows itself, or `EVERY_COLLECTION`. They change together with that
   * collection, in one transaction, and cannot be written. Null: the rows are written by imports and submissions.
   */
  readonly keptFrom: string | null
  /**
   * Whether the store makes rows for the parent organization from these, so that a write here changes the parent's rows
   * too.
   */
  readonly seenByParent: boolean
  /** Another stored field that is unique within an organization, as the id is; null: there is none. */
  readonly alternateKey: string | null
  /** How its rows are erased with a person; null: they tell of nobody. */
  readonly person: PersonLink | null
  /** How a row is named in the collection of removals when nobody can read it any more; null: nobody ever could. */
  readonly removal: Removal | null
  /** Of which events of its rows webhooks can be told; left out: none. */
  readonly events?: readonly EventWord[]
  /**
   * Fields one value of which few rows have, such as an address: the order in which an index provides these rows. In
   * every other order they are sorted after they were selected.
   */
  readonly selectsFew: Readonly<Partial<Record<string, string>>>
  /**
   * Fields one value of which many rows may have, such as a form: the orders in which an index provides these rows. In
   * every other order, and for a field that is named in neither way, rows are tested while the order's index is walked.
   */
  readonly selectsMany: Readonly<Partial<Record<string, readonly string[]>>>
  /** Published fields, in the order in which they are published. */
  readonly fields: Readonly<Record<string, ResourceField>>
  /** Fields that are stored but never published. */
  readonly hidden: Readonly<Record<string, ResourceField>>
  /** Loads what `compute` needs beside a row, before rows are published; null: it needs nothing. */
  readonly prepare: (() => Promise<unknown>) | null
  /** The condition that selects the rows of this resource from the collection; null: all rows. */
  readonly only: Only | null
}

/** The collection from which rows are kept that tell of rows of every other one. */
export const EVERY_COLLECTION = '*'

/** How rows belong to a person. */
type PersonLink<Name extends string = string> =
  | {
      /** The field with the id of the person's contact; null: rows have none. */
      readonly by: Name | null
      /** The fields in which a row without a contact carries an address of the person, or the id of the contact. */
      readonly carriedIn: readonly Name[]
    }
  /** Why the rows stay as they are. */
  | { readonly stays: string }

/**
 * An event of a resource's rows, as `contact.created`. The store writes each together with the change
 * (`adapters/sqlite/outbox/webhooks.ts`); imports cause none.
 */
export type EventWord = `${string}.${'created' | 'updated' | 'removed'}`

/** How a removed row is named. */
interface Removal<Name extends string = string> {
  /** The name of the collection in which it was read. */
  readonly collection: string
  /** The field of its id. */
  readonly id: Name
  /** The field of the id that its own id needs beside it; null: none. */
  readonly parent: Name | null
  /** The field that says whether it can be read at all; null: every row can. */
  readonly shownIf: Name | null
}

/** A resource whose fields the compiler knows. It checks every field name, and rows have types. */
export interface ResourceOf<
  Published extends Fields,
  Hidden extends Fields,
  Id extends string,
  Collection extends string = string,
> extends Resource {
  readonly collection: Collection
  readonly idField: Id
  readonly fields: WithOrigin<Published>
  readonly hidden: WithOrigin<Hidden>
}

/** A stored row of a resource. */
export type RowOf<Of extends Resource> = Row<Of['fields'], Of['hidden']>

/** The name of a stored field of a resource; any text when the type does not know the resource's fields. */
export type StoredNameOf<Of extends Resource> = StoredName<Of['fields'], Of['hidden']>

/** A condition that a stored field has this value. */
interface Only<Name extends string = string> {
  readonly field: Name
  readonly value: boolean
}

/** The declaration of a resource. `Resource` documents the defaults of what is left out. */
export type ResourceDeclaration<
  Published extends Fields,
  Hidden extends Fields,
  Id extends string,
  Collection extends string = string,
> = {
  readonly name: string
  readonly collection: Collection
  readonly description: string
  readonly idField: Id & StoredName<Published, Hidden>
  readonly key?: readonly StoredName<Published, Hidden>[]
  readonly serviceWideIds?: boolean
  readonly keptFrom?: string
  readonly seenByParent?: boolean
  readonly alternateKey?: StoredName<Published, Hidden>
  readonly person?: PersonLink<StoredName<Published, Hidden>>
  /** `true`: under the names of the collection and of its id. */
  readonly removal?: true | Partial<Removal<StoredName<Published, Hidden>>>
  readonly events?: readonly EventWord[]
  readonly selectsFew?: { readonly [Field in StoredName<Published, Hidden>]?: StoredName<Published, Hidden> }
  readonly selectsMany?: {
    readonly [Field in StoredName<Published, Hidden>]?: readonly StoredName<Published, Hidden>[]
  }
  readonly fields: Published & NamesStored<Published, StoredName<Published, Hidden>>
  readonly hidden?: Hidden
  readonly prepare?: () => Promise<unknown>
} & Derive<Published, Hidden> &
  Compute<Published, Row<Published, Hidden>>

/** Declares a resource. A plain field is an imported one. */
export function resource<
  const Id extends string,
  const Collection extends string,
  Published extends Fields,
  Hidden extends Fields = NoFields,
>(
  declaration: ResourceDeclaration<Published, Hidden, Id, Collection>,
): ResourceOf<Published, Hidden, Id, Collection> {
  const { derive, compute, computeWithCodes, removal, ...said } = declaration
  const functions: FieldFunctions = { derive, compute, computeWithCodes }
  return {
    alternateKey: null,
    key: [declaration.idField],
    keptFrom: null,
    person: null,
    prepare: null,
    only: null,
    serviceWideIds: false,
    seenByParent: false,
    selectsFew: {},
    selectsMany: {},
    ...said,
    removal: removal === undefined ? null : removalOf(declaration, removal === true ? {} : removal),
    fields: withOrigin(declaration.fields, functions),
    hidden: withOrigin(declaration.hidden ?? {}, functions),
  }
}

function removalOf(
  { collection, idField }: Pick<Resource, 'collection' | 'idField'>,
  said: Partial<Removal>,
): Removal {
  return { collection, id: idField, parent: null, shownIf: null, ...said }
}

/** Every stored field of a resource, published ones first. */
export function storedFields(of: Resource): readonly (readonly [string, ResourceField])[] {
  return Object.entries({ ...of.fields, ...of.hidden }).filter(
    ([, { origin }]) => origin !== 'computed' && origin !== 'joined',
  )
}

/**
 * The type of a stored field of a resource. A hidden field comes before a published one of the same name, because it is
 * the one that is stored. Throws when the resource has no field of that name.
 */
export function fieldTypeOf({ collection, fields, hidden }: Resource, name: string): Field {
  const entry = hidden[name] ?? fields[name]
  if (entry === undefined) throw new Error(`${collection} has no field ${name}`)
  return entry.field
}

/** Whether a field is left out unless codes are requested. */
export function isCode(entry: ResourceField): boolean {
  return entry.origin === 'imported' && entry.isCode === true
}

/** Whether a resource has fields that are published only when the caller requests codes. */
export function hasCodes(of: Resource): boolean {
  return Object.values(of.fields).some(
    (entry) => isCode(entry) || (entry.origin === 'computed' && entry.withCodes !== undefined),
  )
}

/** The published fields in their order, and those that must be read from storage to publish them. */
interface Publication {
  readonly fields: readonly (readonly [string, ResourceField])[]
  readonly selected: readonly string[]
}

/** How each resource is published, without and with codes. Each is computed only once. */
const publications = new WeakMap<Resource, [plain?: Publication, withCodes?: Publication]>()

function publicationOf(of: Resource, codes: boolean): Publication {
  const known = publications.get(of) ?? []
  publications.set(of, known)
  return (known[codes ? 1 : 0] ??= publication(of, codes))
}

/** Computed fields depend on whether codes are requested. Codes are not even read unless they are. */
function publication(of: Resource, codes: boolean): Publication {
  const fields = Object.entries(of.fields).flatMap(([name, entry]) => {
    if (codes && entry.origin === 'computed') return [[name, { ...entry, ...entry.withCodes }] as const]
    return !codes && isCode(entry) ? [] : [[name, entry] as const]
  })
  const names = fields.flatMap(([name, entry]) => (entry.origin === 'computed' ? entry.uses : [name]))
  return { fields, selected: [...new Set(of.only === null ? names : [...names, of.only.field])] }
}

/** The fields that must be read from storage to publish the resource. */
export function selection(of: Resource, codes = false): readonly string[] {
  return publicationOf(of, codes).selected
}

/**
 * Whether rows are published exactly as storage writes them as JSON: nothing is computed, no other field was read, and
 * there are no fractions, which storage writes differently from `JSON.stringify`.
 * @param read the fields of the rows, in order: `selection(of, codes)` and the fields by which they were ordered
 */
export function isPublishedAsStored(of: Resource, codes: boolean, read: readonly string[]): boolean {
  const { fields } = publicationOf(of, codes)
  const isPlain = fields.every(([, { origin, field }]) => origin !== 'computed' && field.storage !== 'real')
  return isPlain && read.length === fields.length && fields.every(([name], index) => read[index] === name)
}

/**
 * Returns a function that publishes a row: exactly the declared fields, in their order. The resource must have been
 * prepared.
 */
export function serializer(of: Resource, codes = false): (row: StoredRow) => StoredRow {
  const { fields } = publicationOf(of, codes)
  return (row) => {
    const published: Record<string, unknown> = {}
    for (const [name, entry] of fields) {
      published[name] = entry.origin === 'computed' ? entry.compute(row) : (row[name] ?? null)
    }
    return published
  }
}

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
