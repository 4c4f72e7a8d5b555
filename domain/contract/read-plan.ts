import type {
  GroupPosition,
  GroupsQuery,
  OneQuery,
  PageQuery,
  Position,
  StoredRow,
} from '../../ports/query.ts'
import type { Secrets } from '../tenancy/secrets.ts'
import type { Parent, ReadEndpoint } from './endpoint.ts'
import type { Reply } from './reply.ts'

/** A request for tenant data, before its key was checked: every part is the caller's word. */
export interface ReadRequest {
  /** The organization that the key claims. */
  readonly organizationId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** When it came, in ms since 1970. */
  readonly nowMs: number
}

/** One page as it was read, and where the next one starts. */
export interface PageOfRows {
  readonly rows: readonly StoredRow[]
  readonly next: Position | null
}

/** One page of groups as it was read, and where the next one starts. */
export interface PageOfGroups {
  readonly rows: readonly StoredRow[]
  readonly next: GroupPosition | null
}

/** What a read has to do: what to ask for and how to answer with it, or the refusal it ends in. */
export type ReadPlan =
  | {
      readonly kind: 'page'
      /** Finds nothing when the parent of a nested route does not exist; null: there is no parent. */
      readonly parent: OneQuery | null
      readonly query: PageQuery
      readonly answer: (page: PageOfRows) => Promise<Reply>
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
      readonly answer: (row: StoredRow) => Promise<Reply>
    }
  | { readonly kind: 'refusal'; readonly reply: Reply }
  | { readonly kind: 'needs_country' }

/** Asks whether the parent of a nested route exists: one row of nothing but its id, or none. */
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
