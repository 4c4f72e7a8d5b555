import type { Organization } from '../../ports/organization.ts'
import type { OneQuery, ReadQuery, StoredRow } from '../../ports/query.ts'
import type { Secrets } from '../tenancy/secrets.ts'
import type { CollectionEndpoint, DetailEndpoint, Parent } from './endpoint.ts'
import type { Reply } from './reply.ts'

/** A request for tenant data, before its key was checked: every part is the caller's word. */
export interface ReadRequest {
  /** The organization that the key claims. */
  readonly organizationId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** What a read has to do: queries for storage and how to answer from their rows, or the refusal it ends in. */
export type ReadPlan =
  | {
      readonly kind: 'queries'
      readonly queries: readonly ReadQuery[]
      readonly answer: (
        results: readonly (readonly StoredRow[])[],
        organization: Organization,
      ) => Promise<Reply>
    }
  | { readonly kind: 'refusal'; readonly reply: Reply }
  | { readonly kind: 'needs_country' }

/** Asks whether the parent of a nested route exists: one row of nothing but its id, or none. */
export function parentQuery({ resource }: Parent, parentId: string): OneQuery {
  const { collection, idField } = resource
  return { kind: 'one', collection, select: [idField], id: parentId }
}

/** Plans one read. `phoneCountry` is null until the organization is known. */
export type Planner<E extends CollectionEndpoint | DetailEndpoint> = (
  endpoint: E,
  request: ReadRequest,
  phoneCountry: string | null,
  secrets: Secrets,
) => Promise<ReadPlan>
