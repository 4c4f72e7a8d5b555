import type { GroupPosition, GroupsQuery, OneQuery, PageQuery, StoredRow } from '../../../ports/records.ts'
import type { Secrets } from '../../access/secrets.ts'
import type { Parent, ReadEndpoint } from '../../record/endpoint.ts'
import type { Reply } from '../../record/operation/reply.ts'
import type { PageOfTexts } from '../pages/page-of-texts.ts'

/** A request for tenant data before its key has been checked. None of it is verified. */
export interface ReadRequest {
  /** The organization that the key claims. */
  readonly organizationId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** When the request arrived, in ms since 1970. */
  readonly nowMs: number
  /** The maximum number of rows to look at for a page. */
  readonly looksAtMax: number
}

/** One page of groups as it was read, and where the next one starts. */
export interface PageOfGroups {
  readonly rows: readonly StoredRow[]
  readonly next: GroupPosition | null
}

/** The plan of a read: its queries and how to reply with their results, or a refusal. */
export type ReadPlan =
  | {
      readonly kind: 'page'
      /** For a nested route, the query that finds its parent; no row means 404. Null: the endpoint has no parent. */
      readonly parent: OneQuery | null
      readonly query: PageQuery
      /** Turns a stored row into the published one; null: a row that storage wrote as JSON is published unchanged. */
      readonly publish: ((row: StoredRow) => StoredRow) | null
      readonly answer: (page: PageOfTexts) => Promise<Reply>
    }
  | {
      readonly kind: 'groups'
      readonly parent: OneQuery | null
      readonly query: GroupsQuery
      readonly answer: (page: PageOfGroups) => Promise<Reply>
    }
  | {
      readonly kind: 'one'
      readonly parent: OneQuery | null
      readonly query: OneQuery
      /** As for a page. */
      readonly publish: ((row: StoredRow) => StoredRow) | null
      /** Whether the found row is the requested one; null: any row with that id is. */
      readonly isAsked: ((row: StoredRow) => boolean) | null
    }
  | { readonly kind: 'refusal'; readonly reply: Reply }
  | { readonly kind: 'needs_country' }

/** The query for whether the parent of a nested route exists: it returns one row with only the id, or none. */
export function parentQuery({ resource }: Parent, parentId: string): OneQuery {
  const { collection, idField } = resource
  return { kind: 'one', collection, select: [idField], id: parentId }
}

/** Plans one read. `phoneCountry` is null until the organization is known. */
export type Planner<E extends ReadEndpoint> = (
  endpoint: E,
  request: ReadRequest,
  phoneCountry: string | null,
  secrets: Secrets,
) => Promise<ReadPlan>
