import type { Background } from '../../ports/background.ts'
import type { KeyedRead, KeyedReader, KeyedStorage } from '../../ports/keyed-storage.ts'
import type { Organization } from '../../ports/organization.ts'
import type { RoutedRequest } from '../record/routed-request.ts'
import type { PresentedKey } from './api-key.ts'
import { claimedHashes, hashKey, isKey } from './api-key.ts'
import { readBearer } from './bearer.ts'
import type { Administration, StoredKey } from '../../ports/administration.ts'
import type { Secrets } from './secrets.ts'

/** Who sent a request with a good key: an organization, or the operator's own platform (null). */
export interface Caller {
  readonly organization: Organization | null
}

/** Tenant data as the key of a request opens it. */
export interface TenantReader {
  /** What the key claims. The claims are not verified before the first `read` was authenticated. */
  readonly organizationId: string
  readonly read: KeyedReader['read']
}

type KeyedRequest = Pick<RoutedRequest, 'request' | 'identified'>

/** The ports that checking a key needs. */
export interface KeyWorld {
  readonly storage: KeyedStorage
  readonly keys: Pick<Administration, 'rehashKey'>
  readonly secrets: Secrets
  readonly background: Background
}

/** Opens tenant data for the key of a request; null when it carries no well-formed tenant key. No I/O. */
export function openReader({ request, identified }: KeyedRequest, world: KeyWorld): TenantReader | null {
  const key = readBearer(request.headers.get('authorization'))
  if (key?.organizationId == null) return null
  const { organizationId, keyId } = key
  let opening: Promise<KeyedReader> | null = null
  const open = async () =>
    world.storage.open({ organizationId, keyId, hashes: await claimedHashes(key, world.secrets) })
  return {
    organizationId,
    async read(queries): Promise<KeyedRead> {
      const reader = await (opening ??= open())
      const outcome = await reader.read(queries)
      if (!outcome.authenticated) return outcome
      identified({ organizationId, keyId })
      rehashAfterRotation(key, outcome.key, world)
      return outcome
    },
  }
}

/** The organization of a request's tenant key; null when the request has no valid one. */
export async function authenticateTenant(
  routed: KeyedRequest,
  world: KeyWorld,
): Promise<Organization | null> {
  const outcome = await openReader(routed, world)?.read([])
  return outcome?.authenticated === true ? outcome.organization : null
}

/**
 * The caller of an endpoint that accepts tenant keys and platform keys; null when the request has no valid key of
 * either kind.
 */
export async function authenticate(routed: KeyedRequest, world: KeyWorld): Promise<Caller | null> {
  const key = readBearer(routed.request.headers.get('authorization'))
  if (key?.kind !== 'platform') {
    const organization = await authenticateTenant(routed, world)
    return organization === null ? null : { organization }
  }
  const stored = await world.storage.findPlatformKey(key.keyId)
  if (stored === null || !(await isKey(key, stored, world.secrets))) return null
  routed.identified({ organizationId: null, keyId: key.keyId })
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
