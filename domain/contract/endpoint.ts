import type { PosSourceTie } from '../../ports/organization.ts'
import type { PosCapabilities } from '../../ports/pos-source.ts'
import type { Order } from '../../ports/query.ts'
import type { Sources } from '../service.ts'
import type { Capability } from './capability.ts'
import type { Filters } from './filter.ts'
import type { Groups } from './groups.ts'
import { groupFilters } from './groups.ts'
import type { Resource } from './resource.ts'
import { hasCodes } from './resource.ts'

/** Who may call an endpoint. */
export type Access = 'public' | 'tenant' | 'tenant_or_platform'

/** Groups of operations in the contract document, in its order. */
export const tags = [
  'Sites',
  'Products',
  'Checkout links',
  'Purchases',
  'Contacts',
  'Contact lists',
  'Marketing',
  'Forms',
  'Form submission',
  'Vouchers',
  'Links',
  'Automations',
  'Surveys',
  'Cases',
  'Reviews',
  'Cancellations',
  'Point of sale',
  'Messaging',
  'Analytics',
  'Contract',
] as const
export type Tag = (typeof tags)[number]

export type ErrorStyle = 'api' | 'submission'

interface Described {
  /** One line, imperative. */
  readonly summary: string
  readonly description?: string
  readonly tag: Tag
  readonly deprecated?: boolean
}

/** Where the rows of an endpoint are kept: here, or where the deployment or the organization's settings say. */
export type RowsFrom = 'storage' | keyof Sources

/** Since when an endpoint is deprecated, and what takes its place; its answers say so (RFC 9745, RFC 8288). */
export interface Deprecation {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly sinceSeconds: number
  /** The path of the endpoint that takes its place, and the parameter in it for a detail's id; null: there is none. */
  readonly successor: { readonly path: string; readonly param: string | null }
}

/** A filter that some sources serve only together with another. */
export interface FilterNeed {
  /** Names of query parameters. */
  readonly filter: string
  readonly needs: string
  /** What is true of the sources concerned. */
  readonly at: keyof PosCapabilities
}

/** What concerns rows of outside sources alone. */
interface Outside {
  /** Where the rows of an endpoint are kept. */
  readonly rowsFrom: RowsFrom
  /** Organizations of any other kind of point-of-sale source have no such route; null: those of every kind have it. */
  readonly onlyFor: PosSourceTie['kind'] | null
  /** Null: it is here to stay. */
  readonly deprecation: Deprecation | null
}

/** The parent of a nested collection or detail: it must exist, and it narrows the rows. */
export interface Parent {
  readonly resource: Resource
  /** The path parameter that holds the parent's id, and the stored field of the rows that refers to it. */
  readonly param: string
}

/** A paged read of one resource. */
export interface CollectionEndpoint<Id extends string = string> extends Described, Outside {
  readonly kind: 'collection'
  readonly id: Id
  readonly method: 'GET'
  readonly path: string
  readonly access: 'tenant'
  readonly resource: Resource
  readonly filters: Filters
  /** Filters that need another one at some sources. */
  readonly filterNeeds: readonly FilterNeed[]
  /** The natural order: newest first. */
  readonly order: Order
  /** The order of a forward sync, used when an `updatedAfter` or `updatedBefore` is given; null: there is none. */
  readonly syncOrder: Order | null
  /** The fields that a caller may sort by instead, the natural order's among them; empty: it has its order. */
  readonly sorts: readonly string[]
  readonly parent: Parent | null
  readonly maxLimit: number
  /** Whether `includeCodes` is a parameter: the resource has codes. */
  readonly offersCodes: boolean
  /** An organization without this is refused; null: every organization has what it takes. */
  readonly requires: Capability | null
}

/** The read of one row by its id. */
export interface DetailEndpoint<Id extends string = string> extends Described, Outside {
  readonly kind: 'detail'
  readonly id: Id
  readonly method: 'GET'
  readonly path: string
  readonly access: 'tenant'
  readonly resource: Resource
  /** The path parameter that holds the row's id. */
  readonly param: string
  /** Of a nested detail: it must exist, and the row must refer to it. */
  readonly parent: Parent | null
  /** Whether `includeCodes` is a parameter: the resource has codes. */
  readonly offersCodes: boolean
  /** As of a collection. */
  readonly requires: Capability | null
}

/** A paged read of sums over rows, in groups that the caller chooses, within a window of time. */
export interface GroupsEndpoint<Id extends string = string> extends Described, Outside {
  readonly kind: 'groups'
  readonly id: Id
  readonly method: 'GET'
  readonly path: string
  readonly access: 'tenant'
  /** What a group is published as. */
  readonly resource: Resource
  /** As of a collection; a group's field of the parameter's name is the parent's id. */
  readonly parent: Parent | null
  /** `groupBy`, `start` and `end`. */
  readonly filters: Filters
  readonly groups: Groups
  /** The grouping when the caller names none. */
  readonly defaultGrouping: string
  readonly maxLimit: number
  /** A group has no codes. */
  readonly offersCodes: false
  /** As of a collection. */
  readonly requires: Capability | null
}

/** An endpoint whose work is its own: it has a handler in the handler map. */
export interface OperationEndpoint<
  Id extends string = string,
  Allowed extends Access = Access,
> extends Described {
  readonly kind: 'operation'
  readonly id: Id
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  readonly path: string
  /** Checked before the handler is called; it is handed what the key stands for. */
  readonly access: Allowed
  /** As of a collection. */
  readonly requires: Capability | null
  /** Failures in the submission endpoint's own form (`ok`, `code`, `error`, any origin), or plainly as `{ error }`. */
  readonly errorStyle: ErrorStyle
  /** The OpenAPI parts that cannot be derived: parameters, request body and responses. */
  readonly openapi: Readonly<Record<string, unknown>>
}

/** A canonical read: planned from its record, served from storage or a source. */
export type ReadEndpoint = CollectionEndpoint | DetailEndpoint | GroupsEndpoint

export type Endpoint = ReadEndpoint | OperationEndpoint

export const SYNC_FIELD = 'updatedAt'

export function newestFirst(field: string, idField: string): Order {
  return { field, idField, direction: 'descending' }
}

function oldestFirst(field: string, idField: string): Order {
  return { field, idField, direction: 'ascending' }
}

type CollectionDeclaration<Id extends string> = Described & {
  readonly id: Id
  readonly path: string
  readonly resource: Resource
  readonly filters: Filters
  readonly order: Order
  readonly parent?: Parent
  readonly sorts?: readonly string[]
  readonly maxLimit?: number
  readonly requires?: Capability
  readonly rowsFrom?: RowsFrom
  readonly filterNeeds?: readonly FilterNeed[]
}

/** What is so unless a declaration says otherwise. */
const here: Outside = { rowsFrom: 'storage', onlyFor: null, deprecation: null }

/** Declares a collection. Its sync order follows from its having a filter on `updatedAt`. */
export function collection<const Id extends string>(
  declaration: CollectionDeclaration<Id>,
): CollectionEndpoint<Id> {
  const syncs = Object.values(declaration.filters).some((filter) => filter.field === SYNC_FIELD)
  return {
    kind: 'collection',
    method: 'GET',
    access: 'tenant',
    parent: null,
    requires: null,
    ...here,
    filterNeeds: [],
    sorts: [],
    maxLimit: 500,
    offersCodes: hasCodes(declaration.resource),
    ...declaration,
    syncOrder: syncs ? oldestFirst(SYNC_FIELD, declaration.order.idField) : null,
  }
}

type DetailDeclaration<Id extends string> = Described & {
  readonly id: Id
  readonly path: string
  readonly resource: Resource
  readonly param?: string
  readonly parent?: Parent
  readonly requires?: Capability
  readonly rowsFrom?: RowsFrom
}

/** Declares a detail: its path ends in `{param}`, which is named after the resource's id unless it says otherwise. */
export function detail<const Id extends string>(declaration: DetailDeclaration<Id>): DetailEndpoint<Id> {
  const { resource } = declaration
  return {
    kind: 'detail',
    method: 'GET',
    access: 'tenant',
    param: resource.idField,
    parent: null,
    requires: null,
    ...here,
    offersCodes: hasCodes(resource),
    ...declaration,
  }
}

type GroupsDeclaration<Id extends string> = Described & {
  readonly id: Id
  readonly path: string
  readonly resource: Resource
  readonly groups: Groups
  readonly defaultGrouping: string
  readonly parent?: Parent
  readonly rowsFrom?: RowsFrom
}

/** Declares a read of groups. Its parameters follow from the groupings. */
export function groups<const Id extends string>(declaration: GroupsDeclaration<Id>): GroupsEndpoint<Id> {
  return {
    kind: 'groups',
    method: 'GET',
    access: 'tenant',
    parent: null,
    requires: null,
    ...here,
    maxLimit: 500,
    offersCodes: false,
    filters: groupFilters(declaration.groups, declaration.defaultGrouping),
    ...declaration,
  }
}

type OperationDeclaration<Id extends string, Allowed extends Access> = Omit<
  OperationEndpoint<Id, Allowed>,
  'kind' | 'errorStyle' | 'requires'
> & { readonly errorStyle?: ErrorStyle; readonly requires?: Capability }

/** Declares an endpoint with a handler of its own. */
export function operation<const Id extends string, const Allowed extends Access>(
  declaration: OperationDeclaration<Id, Allowed>,
): OperationEndpoint<Id, Allowed> {
  return { kind: 'operation', errorStyle: 'api', requires: null, ...declaration }
}
