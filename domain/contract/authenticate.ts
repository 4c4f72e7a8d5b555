import type { KeyedRead, KeyedReader } from '../../ports/keyed-storage.ts'
import type { Organization } from '../../ports/organization.ts'
import type { RoutedRequest, World } from '../service.ts'
import type { PresentedKey } from '../tenancy/api-key.ts'
import { hashKey, isKey } from '../tenancy/api-key.ts'
import { readBearer } from '../tenancy/bearer.ts'
import type { StoredKey } from '../../ports/administration.ts'

/** Who sent a request with a good key: an organization, or the operator's own platform (null). */
export interface Caller {
  readonly organization: Organization | null
}

/** Tenant data as the key of a request opens it. */
export interface TenantReader {
  /** What the key says of itself; nothing of it is true before the first `read` was authenticated. */
  readonly organizationId: string
  readonly read: KeyedReader['read']
}

type KeyedRequest = Pick<RoutedRequest, 'request' | 'identified'>
type KeyWorld = Pick<World, 'storage' | 'keys' | 'secrets' | 'background'>

/** Opens tenant data for the key of a request; null when it carries no well-formed tenant key. No I/O. */
export function openTenant({ request, identified }: KeyedRequest, world: KeyWorld): TenantReader | null {
  const key = readBearer(request.headers.get('authorization'))
  if (key?.organizationId == null) return null
  const { organizationId, keyId } = key
  const reader = world.storage.open({ organizationId, keyId }, (stored) => isKey(key, stored, world.secrets))
  return {
    organizationId,
    async read(queries): Promise<KeyedRead> {
      const outcome = await reader.read(queries)
      if (!outcome.authenticated) return outcome
      identified(organizationId)
      rehashAfterRotation(key, outcome.key, world)
      return outcome
    },
  }
}

/** The organization of the tenant key of a request; null when it carries none that works. */
export async function authenticateTenant(
  routed: KeyedRequest,
  world: KeyWorld,
): Promise<Organization | null> {
  const outcome = await openTenant(routed, world)?.read([])
  return outcome?.authenticated === true ? outcome.organization : null
}

/** Who sent a request that a tenant key and a platform key may send; null when it carries neither. */
export async function authenticate(routed: KeyedRequest, world: KeyWorld): Promise<Caller | null> {
  const key = readBearer(routed.request.headers.get('authorization'))
  if (key?.kind !== 'platform') {
    const organization = await authenticateTenant(routed, world)
    return organization === null ? null : { organization }
  }
  const stored = await world.storage.findPlatformKey(key.keyId)
  if (stored === null || !(await isKey(key, stored, world.secrets))) return null
  rehashAfterRotation(key, stored, world)
  return { organization: null }
}

/** A key hashed under the previous root secret moves to the current one on its first use. */
function rehashAfterRotation(key: PresentedKey, stored: StoredKey, world: KeyWorld): void {
  const { current } = world.secrets
  if (stored.secretVersion === current.version) return
  const rehash = async () => {
    await world.keys.rehashKey(key.keyId, await hashKey(key.text, current), current.version)
  }
  world.background.run(rehash())
}
