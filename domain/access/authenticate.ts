import type {
  KeyClaim,
  KeyedRead,
  KeyedReader,
  KeyedStorage,
  QueryResult,
} from '../../ports/keyed-storage.ts'
import type { Organization } from '../../ports/organization.ts'
import type { ReadQuery } from '../../ports/query.ts'
import type { Scope } from '../record/description.ts'
import type { Reply } from '../record/reply.ts'
import { unauthorized } from '../record/reply.ts'
import type { AdmissionWorld, KeyedRequest } from './admit-key.ts'
import { admitKey } from './admit-key.ts'
import type { PresentedKey } from './api-key.ts'
import { claimedHashes, isKey, readKey } from './api-key.ts'
import { bearerToken, readBearer } from './bearer.ts'
import { recallKey, rememberKey } from './proven-keys.ts'

/** Who sent a request with a good key: an organization, or the operator's own platform (null). */
export interface Caller {
  readonly organization: Organization | null
}

/** A caller who was let through, or the answer to one who was not. */
export type Admitted<Who> = { readonly caller: Who } | { readonly refusal: Reply }

/** What a read of tenant data found for the key of a request. */
export type TenantRead =
  | { readonly kind: 'refused'; readonly refusal: Reply }
  | {
      readonly kind: 'read'
      readonly organization: Organization
      /** One result per query, in the order of the queries. */
      readonly results: readonly QueryResult[]
    }

/** Tenant data as the key of a request opens it. */
export interface TenantReader {
  /** What the key claims. The claims are not verified before a first `read` was not refused. */
  readonly organizationId: string
  /** Proves the key and runs the queries, in one storage call. The first read of a request counts against the key's rate. */
  read(queries: readonly ReadQuery[]): Promise<TenantRead>
}

/** The ports that checking a key needs. */
export interface KeyWorld extends AdmissionWorld {
  readonly storage: KeyedStorage
}

/**
 * Opens tenant data for the key of a request; null when it carries no well-formed tenant key. No I/O.
 * @param scope what the key must be allowed to do
 */
export function openReader(routed: KeyedRequest, scope: Scope, world: KeyWorld): TenantReader | null {
  const token = bearerToken(routed.request.headers.get('authorization'))
  if (token === null) return null
  const known = recallKey(token, world.secrets)
  const key = known?.key ?? readKey(token)
  if (key?.organizationId == null) return null
  const { organizationId } = key
  let claim = known?.claim ?? null
  let reader: KeyedReader | null = null
  let isAdmitted = false
  const tenant: TenantReader = {
    organizationId,
    async read(queries) {
      claim ??= await claimOf(key, organizationId, world)
      reader ??= world.storage.open(claim)
      // A key that is known to have spent its rate is proven all the same, because the request may be somebody else's; but
      // nothing is read for it.
      const spent = isAdmitted ? null : world.rateLimiter.exhausted(key.keyId)
      const isCounted = !isAdmitted
      const found = await reader.read(spent === null ? queries : [], { isCounted })
      if (!found.authenticated) return { kind: 'refused', refusal: unauthorized() }
      const refusal = isAdmitted
        ? null
        : admitKey({ presented: key, stored: found.key, spent, counted: found.budget }, scope, routed, world)
      if (refusal !== null) return { kind: 'refused', refusal }
      isAdmitted = true
      if (known === null) rememberKey({ key, claim }, world.secrets)
      // The storage that counts has admitted a key of which this instance thought otherwise, so nothing was read yet.
      return spent === null ? readOf(found) : tenant.read(queries)
    },
  }
  return tenant
}

function readOf({ organization, results }: Extract<KeyedRead, { authenticated: true }>): TenantRead {
  return { kind: 'read', organization, results }
}

/** What a key of an organization claims: its id and the hashes that it may be stored under. */
export async function claimOf(
  key: PresentedKey,
  organizationId: string,
  { secrets }: Pick<KeyWorld, 'secrets'>,
): Promise<KeyClaim> {
  return { organizationId, keyId: key.keyId, hashes: await claimedHashes(key, secrets) }
}

/** Admits the organization of a request's tenant key. */
export async function authenticateTenant(
  routed: KeyedRequest,
  scope: Scope,
  world: KeyWorld,
): Promise<Admitted<Organization>> {
  const found = await openReader(routed, scope, world)?.read([])
  if (found === undefined) return { refusal: unauthorized() }
  return found.kind === 'read' ? { caller: found.organization } : { refusal: found.refusal }
}

/** Admits the caller of an endpoint that accepts tenant keys and platform keys. */
export async function authenticate(
  routed: KeyedRequest,
  scope: Scope,
  world: KeyWorld,
): Promise<Admitted<Caller>> {
  const key = readBearer(routed.request.headers.get('authorization'))
  if (key?.kind !== 'platform') {
    const tenant = await authenticateTenant(routed, scope, world)
    return 'refusal' in tenant ? tenant : { caller: { organization: tenant.caller } }
  }
  const stored = await world.storage.findPlatformKey(key.keyId)
  if (stored === null || !(await isKey(key, stored, world.secrets))) return { refusal: unauthorized() }
  const refusal = admitKey({ presented: key, stored, spent: null, counted: null }, scope, routed, world)
  return refusal === null ? { caller: { organization: null } } : { refusal }
}
