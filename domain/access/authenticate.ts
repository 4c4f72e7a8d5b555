import type { KeyClaim, KeyedRead, KeyedReader, KeyedStorage, QueryResult } from '../../ports/keys.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { ReadQuery } from '../../ports/records.ts'
import type { Scope } from '../record/operation/description.ts'
import { unauthorized, type Reply } from '../record/operation/reply.ts'
import { admitKey, type AdmissionWorld, type KeyedRequest } from './admit-key.ts'
import { claimedHashes, isKey, readKey, type PresentedKey } from './api-key.ts'
import { bearerToken, readBearer, refuseExposedKey } from './bearer.ts'
import { recallKey, rememberKey } from './proven-keys.ts'

/** The sender of a request with a good key: an organization, or the platform (null). */
export interface Caller {
  readonly organization: Organization | null
}

/** A caller who was admitted, or the reply to one who was not. */
export type Admitted<Who> = { readonly caller: Who } | { readonly refusal: Reply }

/** The outcome of reading tenant data with the key of a request. */
export type TenantRead =
  | { readonly kind: 'refused'; readonly refusal: Reply }
  | {
      readonly kind: 'read'
      readonly organization: Organization
      /** One result per query, in the order of the queries. */
      readonly results: readonly QueryResult[]
    }

/** Reads tenant data with the key of a request. */
export interface TenantReader {
  /** The organization that the key claims. The claim is verified once a `read` has not been refused. */
  readonly organizationId: string
  /**
   * Proves the key and runs the queries, in one storage call. Only the first read of a request counts against the key's
   * rate.
   */
  read(queries: readonly ReadQuery[]): Promise<TenantRead>
}

/** The ports that checking a key needs. */
export interface KeyWorld extends AdmissionWorld {
  readonly storage: KeyedStorage
}

/**
 * Opens tenant data for the key of a request, or refuses one that carries no well-formed tenant key, or carries it where
 * others can read it. No I/O.
 * @param scope what the key must be allowed to do
 */
export function openReader(
  routed: KeyedRequest,
  scope: Scope,
  world: KeyWorld,
): TenantReader | { readonly refusal: Reply } {
  const exposed = refuseExposedKey(routed, scope)
  if (exposed !== null) return { refusal: exposed }
  const token = bearerToken(routed.request.headers.get('authorization'))
  const known = token === null ? null : recallKey(token, world.secrets)
  const key = known?.key ?? (token === null ? null : readKey(token))
  if (key?.organizationId == null) return { refusal: unauthorized(scope) }
  const { organizationId } = key
  let claim = known?.claim ?? null
  let reader: KeyedReader | null = null
  let isAdmitted = false
  const tenant: TenantReader = {
    organizationId,
    async read(queries) {
      claim ??= await claimOf(key, organizationId, world)
      reader ??= world.storage.open(claim)
      // A key that is known to have used up its rate must still be proven, because the request may be forged; but then
      // no query is run.
      const spent = isAdmitted ? null : world.rateLimiter.exhausted(key.keyId)
      const isCounted = !isAdmitted
      const found = await reader.read(spent === null ? queries : [], { isCounted })
      if (!found.authenticated) return { kind: 'refused', refusal: unauthorized(scope) }
      const refusal = isAdmitted
        ? null
        : admitKey({ presented: key, stored: found.key, spent, counted: found.budget }, scope, routed, world)
      if (refusal !== null) return { kind: 'refused', refusal }
      isAdmitted = true
      if (known === null) rememberKey({ key, claim }, world.secrets)
      // The storage, which keeps the exact count, has admitted a key that this instance believed used up. No query was
      // run, so the read is repeated.
      return spent === null ? readOf(found) : tenant.read(queries)
    },
  }
  return tenant
}

function readOf({ organization, results }: Extract<KeyedRead, { authenticated: true }>): TenantRead {
  return { kind: 'read', organization, results }
}

/** The claim of an organization's key: its id and the hashes under which it may be stored. */
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
  const reader = openReader(routed, scope, world)
  if ('refusal' in reader) return reader
  const found = await reader.read([])
  return found.kind === 'read' ? { caller: found.organization } : { refusal: found.refusal }
}

/** Admits the caller of an endpoint that accepts tenant keys and platform keys. */
export async function authenticate(
  routed: KeyedRequest,
  scope: Scope,
  world: KeyWorld,
): Promise<Admitted<Caller>> {
  const key = readBearer(routed.request.headers.get('authorization'))
  if (key?.kind !== 'platform' || refuseExposedKey(routed, scope) !== null) {
    const tenant = await authenticateTenant(routed, scope, world)
    return 'refusal' in tenant ? tenant : { caller: { organization: tenant.caller } }
  }
  const stored = await world.storage.findPlatformKey(key.keyId)
  if (stored === null || !(await isKey(key, stored, world.secrets))) return { refusal: unauthorized(scope) }
  const refusal = admitKey({ presented: key, stored, spent: null, counted: null }, scope, routed, world)
  return refusal === null ? { caller: { organization: null } } : { refusal }
}
