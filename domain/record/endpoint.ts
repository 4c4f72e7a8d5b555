import type { PosKind } from '../../ports/organizations.ts'
import type { PosCapabilities } from '../../ports/sources.ts'
import type { Order } from '../../ports/records.ts'
import type { Capability, Reply } from './reply.ts'
import type { Described } from './description.ts'
import { groupFilters, type Filters, type Groups } from './filter.ts'
import type { OperationEndpoint } from './operation.ts'
import { hasCodes, type Resource, type StoredNameOf } from './resource.ts'

/** The maximum number of rows of a page, unless an endpoint declares another (contract, `limit`). */
export const PAGE_ROWS_MAX = 500

/**
 * Where the rows of an endpoint are stored: in this service, or in a place that depends on the deployment or on the
 * organization's settings.
 */
export type RowsFrom = 'storage' | 'links' | 'pos'

/** A filter that some sources support only together with another one. */
interface FilterNeed {
  /** Both are names of query parameters. */
  readonly filter: string
  readonly needs: string
  /** The capability of the sources that need the other filter. */
  readonly at: keyof PosCapabilities
}

/** Settings for rows of outside sources. */
interface Outside {
  /** Where the rows of the endpoint are stored. */
  readonly rowsFrom: RowsFrom
  /**
   * The kind of point-of-sale source whose organizations have this route; null: organizations of every kind have it.
   */
  readonly onlyFor: PosKind | null
  /** Null: the endpoint is not deprecated. */
  readonly deprecation: Deprecation | null
}

/** The parent of a nested collection or detail: it must exist, and only its rows are read. */
export interface Parent<Name extends string = string> {
  readonly resource: Resource
  /** The path parameter that holds the parent's id, and the stored field of the rows that refers to it. */
  readonly param: Name
}

/** A paged read of one resource. */
export interface CollectionEndpoint<Id extends string = string> extends Described, Outside {
  readonly kind: 'collection'
  readonly id: Id
  readonly method: 'GET'
  readonly path: string
  readonly access: 'tenant'
  readonly scope: 'read'
  readonly resource: Resource
  readonly filters: Filters
  /** Filters that need another filter at some sources. */
  readonly filterNeeds: readonly FilterNeed[]
  /** The natural order: newest first. */
  readonly order: Order
  /** The order of a forward sync, used when an `updatedAfter` or `updatedBefore` is given; null: there is none. */
  readonly syncOrder: Order | null
  /** The fields by which a caller may sort instead, that of the natural order among them; empty: the order is fixed. */
  readonly sorts: readonly string[]
  readonly parent: Parent | null
  readonly maxLimit: number
  /** For how many days rows are kept, so that a forward sync from an earlier instant would miss some; null: for ever. */
  readonly keptDays: number | null
  /** Whether the endpoint has the parameter `includeCodes`, because the resource has codes. */
  readonly offersCodes: boolean
  /** The capability that an organization must have to use the endpoint; null: none. */
  readonly requires: Capability | null
}

/** The read of one row by its id. */
export interface DetailEndpoint<Id extends string = string> extends Described, Outside {
  readonly kind: 'detail'
  readonly id: Id
  readonly method: 'GET'
  readonly path: string
  readonly access: 'tenant'
  readonly scope: 'read'
  readonly resource: Resource
  /** The path parameter that holds the row's id. */
  readonly param: string
  /** The parent of a nested detail: it must exist, and the row must refer to it. */
  readonly parent: Parent | null
  /** Whether the endpoint has the parameter `includeCodes`, because the resource has codes. */
  readonly offersCodes: boolean
  /** As for a collection. */
  readonly requires: Capability | null
}

/** A paged read of sums over rows, in groups that the caller chooses, within a window of time. */
export interface GroupsEndpoint<Id extends string = string> extends Described, Outside {
  readonly kind: 'groups'
  readonly id: Id
  readonly method: 'GET'
  readonly path: string
  readonly access: 'tenant'
  readonly scope: 'read'
  /** The resource as which a group is published. */
  readonly resource: Resource
  /** As for a collection. A group has the parent's id in a field with the parameter's name. */
  readonly parent: Parent | null
  /** The parameters `groupBy`, `start` and `end`. */
  readonly filters: Filters
  readonly groups: Groups
  /** The grouping when the caller requests none. */
  readonly defaultGrouping: string
  readonly maxLimit: number
  /** Always false, because a group has no codes. */
  readonly offersCodes: false
  /** As for a collection. */
  readonly requires: Capability | null
}

/** A read of a canonical resource: planned from its record, and served from storage or from an outside source. */
export type ReadEndpoint = CollectionEndpoint | DetailEndpoint | GroupsEndpoint

export type Endpoint = ReadEndpoint | OperationEndpoint

export const SYNC_FIELD = 'updatedAt'

/** An order by fields whose names the type knows. */
interface OrderBy<Name extends string> extends Order {
  readonly field: Name
  readonly idField: Name
}

export function newestFirst<const Name extends string>(field: Name, idField: Name): OrderBy<Name> {
  return { field, idField, direction: 'descending' }
}

function oldestFirst(field: string, idField: string): Order {
  return { field, idField, direction: 'ascending' }
}

/** The declaration of a collection. Every field in it must be a stored field of the resource. */
type CollectionDeclaration<Id extends string, Of extends Resource> = Described & {
  readonly id: Id
  readonly path: string
  readonly resource: Of
  readonly filters: Filters<StoredNameOf<Of>>
  readonly order: OrderBy<StoredNameOf<Of>>
  readonly parent?: Parent<StoredNameOf<Of>>
  readonly sorts?: readonly StoredNameOf<Of>[]
  readonly maxLimit?: number
  readonly keptDays?: number
  readonly requires?: Capability
  readonly rowsFrom?: RowsFrom
  readonly filterNeeds?: readonly FilterNeed[]
}

/** The defaults of a declaration. */
const here: Outside = { rowsFrom: 'storage', onlyFor: null, deprecation: null }

/** Declares a collection. It has a sync order when it has a filter on `updatedAt`. */
export function collection<const Id extends string, Of extends Resource>(
  declaration: CollectionDeclaration<Id, Of>,
): CollectionEndpoint<Id> {
  const syncs = Object.values(declaration.filters).some((filter) => filter.field === SYNC_FIELD)
  return {
    kind: 'collection',
    method: 'GET',
    access: 'tenant',
    scope: 'read',
    parent: null,
    requires: null,
    ...here,
    filterNeeds: [],
    sorts: [],
    keptDays: null,
    maxLimit: PAGE_ROWS_MAX,
    offersCodes: hasCodes(declaration.resource),
    ...declaration,
    syncOrder: syncs ? oldestFirst(SYNC_FIELD, declaration.order.idField) : null,
  }
}

type DetailDeclaration<Id extends string, Of extends Resource> = Described & {
  readonly id: Id
  readonly path: string
  readonly resource: Of
  readonly param?: string
  readonly parent?: Parent<StoredNameOf<Of>>
  readonly requires?: Capability
  readonly rowsFrom?: RowsFrom
}

/**
 * Declares a detail. Its path ends in `{param}`, which has the name of the resource's id unless the declaration gives
 * another.
 */
export function detail<const Id extends string, Of extends Resource>(
  declaration: DetailDeclaration<Id, Of>,
): DetailEndpoint<Id> {
  const { resource } = declaration
  return {
    kind: 'detail',
    method: 'GET',
    access: 'tenant',
    scope: 'read',
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

/** Declares a read of groups. Its parameters are derived from the groupings. */
export function groups<const Id extends string>(declaration: GroupsDeclaration<Id>): GroupsEndpoint<Id> {
  return {
    kind: 'groups',
    method: 'GET',
    access: 'tenant',
    scope: 'read',
    parent: null,
    requires: null,
    ...here,
    maxLimit: PAGE_ROWS_MAX,
    offersCodes: false,
    filters: groupFilters(declaration.groups, declaration.defaultGrouping),
    ...declaration,
  }
}

/**
 * Since when an endpoint is deprecated, and which endpoint replaces it. Headers of its answers say both (RFC 9745, RFC
 * 8288).
 */
export interface Deprecation {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly sinceSeconds: number
  /**
   * The path of the endpoint that replaces it, and the path's parameter for a detail's id; null: the path has no
   * parameter.
   */
  readonly successor: { readonly path: string; readonly param: string | null }
}

/**
 * Adds the headers of a deprecated endpoint to an answer: `Deprecation` (RFC 9745), and a `Link` to the same collection
 * or row at the successor (RFC 8288).
 * @param id of a detail's row, decoded; null for a collection
 */
export function withDeprecation(
  reply: Reply,
  { sinceSeconds, successor }: Deprecation,
  id: string | null,
): Reply {
  const path = successorPath(successor, encodeURIComponent(id?.toWellFormed() ?? ''))
  const headers = {
    ...reply.headers,
    deprecation: `@${sinceSeconds}`,
    link: `<${path}>; rel="successor-version"`,
  }
  return { ...reply, headers }
}

function successorPath({ path, param }: Deprecation['successor'], encodedId: string): string {
  return param === null ? path : path.replace(`{${param}}`, () => encodedId)
}
