import type { listOperatorKeys } from '../../../../domain/operators/endpoints/keys/operator-keys.ts'
import { listPlatformKeys, listTenantKeys } from '../../../../domain/operators/endpoints/keys/keys.ts'
import type { ItemOf } from '../../client/pages.ts'
import { itemsOf } from '../../client/pages.ts'
import type { Column } from '../../listing/listing.ts'
import { source } from '../../listing/listing.ts'
import { ownerOf } from '../owner.ts'

type TenantKey = ItemOf<typeof listTenantKeys>

/** The first columns of every list of keys. */
export const stateColumns: readonly Column<TenantKey | ItemOf<typeof listOperatorKeys>>[] = [
  { head: 'key id', of: ({ keyId }) => keyId },
  { head: 'state', of: ({ state }) => state },
  { head: 'issued at', of: ({ createdAt }) => createdAt },
  { head: 'revoked at', of: ({ revokedAt }) => revokedAt },
  { head: 'root secret', of: ({ secret }) => secret },
]

/** The issuer of a key; `root` stands for the holder of the root secret. */
export const issuerColumn: Column<TenantKey | ItemOf<typeof listOperatorKeys>> = {
  head: 'issued by',
  of: ({ issuedBy }) => issuedBy ?? 'root',
}

/** The keys of an organization or of the platform, as a listing. */
export const tenantKeySource = source<TenantKey>(
  [
    ...stateColumns,
    { head: 'scope', of: ({ scope }) => scope },
    { head: 'ends at', of: ({ expiresAt }) => expiresAt },
    { head: 'last used', of: ({ lastUsedAt }) => lastUsedAt },
    { head: 'rate', of: ({ ratePerMinute }) => ratePerMinute },
    { head: 'label', of: ({ label }) => label, mayBeCut: true },
    issuerColumn,
  ],
  async (context, values, limit) => {
    const organizationId = ownerOf(values)
    const service = await context.service()
    const query = { limit }
    return organizationId === null
      ? itemsOf(service, listPlatformKeys, { query })
      : itemsOf(service, listTenantKeys, { params: { organizationId }, query })
  },
)
