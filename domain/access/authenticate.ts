import type {
  AuthorizedClaim,
  KeyClaim,
  KeyedReader,
  KeyedStorage,
  QueryResult,
  KeyBudget,
  KeyUpkeep,
  WorkingKey,
  Organization,
  KeyScope,
} from '../../ports/organizations.ts'
import type { ReadQuery } from '../../ports/records.ts'
import type { Scope } from '../record/description.ts'
import {
  unauthorized,
  AUTH_SCHEME,
  keyRefused,
  notFound,
  type Reply,
  type RoutedRequest,
} from '../record/reply.ts'
import { isKey, readKey, hashKey, type PresentedKey } from './keys.ts'
import { isPrivate } from '../text/http.ts'
import { keyedHashes, type Secrets } from './secrets.ts'
import { rateLimitHeaders, tooManyRequests, type RateLimiter } from './rate-limiter.ts'
import type { Background, Clock } from '../../ports/platform.ts'
import { toInstant } from '../text/instant.ts'

/** The sender of a request with a good key: an organization, or the platform (null). */
export interface Caller {
  readonly organization: Organization | null
}

/** A caller who was admitted, or the reply to one who was not. */
export type Admitted<Who> = { readonly caller: Who } | { readonly refusal: Reply }

/** The ports that checking a key needs. */
export interface KeyWorld {
  readonly storage: KeyedStorage
  readonly keys: KeyUpkeep
  /** Kept across requests by the host, because it counts in memory. */
  readonly rateLimiter: RateLimiter
  readonly secrets: Secrets
  readonly background: Background
  readonly clock: Clock
  /** By which right somebody who signed in reads. Left out: requests carry keys. */
  readonly signedIn?: KeyClaim | AuthorizedClaim
}

/** The part of a request that checking its key needs. */
type KeyedRequest = Pick<RoutedRequest, 'request' | 'url' | 'identified'>

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
  const refusal = admitKey({ text: key.text, stored, spent: null, counted: null }, scope, routed, world)
  return refusal === null ? { caller: { organization: null } } : { refusal }
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

/** The outcome of reading tenant data with the key of a request. */
type TenantRead =
  | {
      readonly kind: 'refused'
      readonly refusal: Reply
      /** The organization of a key that was proven, and may not make this call; null: no key was proven. */
      readonly organization: Organization | null
    }
  | {
      readonly kind: 'read'
      readonly organization: Organization
      /** One result per query, in the order of the queries. */
      readonly results: readonly QueryResult[]
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
  const { signedIn } = world
  if (signedIn !== undefined) {
    const { organizationId, keyId } = signedIn
    return readerOf({ organizationId, keyId, text: null, claim: async () => signedIn }, routed, scope, world)
  }
  const exposed = refuseExposedKey(routed, scope)
  if (exposed !== null) return { refusal: exposed }
  const token = bearerToken(routed.request.headers.get('authorization'))
  const known = token === null ? null : recallKey(token, world.secrets)
  const key = known?.key ?? (token === null ? null : readKey(token))
  if (key?.organizationId == null) return { refusal: unauthorized(scope) }
  const { organizationId, keyId, text } = key
  const claim = async () => known?.claim ?? claimOf(key, organizationId, world)
  return readerOf({ organizationId, keyId, text, claim }, routed, scope, world, (claim) => {
    if (known === null) rememberKey({ key, claim }, world.secrets)
  })
}

/** Who reads. */
interface Reading {
  readonly organizationId: string
  /** Null: somebody who signed in without a key. */
  readonly keyId: string | null
  /** The whole key; null: it is not known, because somebody has signed in with it, or without one. */
  readonly text: string | null
  /** Makes the claim when it is first needed. */
  readonly claim: () => Promise<KeyClaim | AuthorizedClaim>
}

/** @param proven called with the claim of a key that was proven */
function readerOf(
  { organizationId, keyId, text, claim: makeClaim }: Reading,
  routed: KeyedRequest,
  scope: Scope,
  world: KeyWorld,
  proven: (claim: KeyClaim) => void = () => undefined,
): TenantReader {
  let claim: KeyClaim | AuthorizedClaim | null = null
  let reader: KeyedReader | null = null
  let isAdmitted = false
  const tenant: TenantReader = {
    organizationId,
    async read(queries) {
      claim ??= await makeClaim()
      reader ??= world.storage.open(claim)
      // A key that is known to have used up its rate must still be proven, because the request may be forged; but then
      // no query is run.
      const spent = isAdmitted || keyId === null ? null : world.rateLimiter.exhausted(keyId)
      const isCounted = !isAdmitted
      const found = await reader.read(spent === null ? queries : [], { isCounted })
      if (!found.authenticated) {
        const refused = keyId === null ? notFound() : unauthorized(scope)
        return { kind: 'refused', refusal: refused, organization: null }
      }
      const admit = ({ key: stored, budget: counted }: typeof found) =>
        stored === null
          ? admitOther(organizationId, scope, routed)
          : admitKey({ text, stored, spent, counted }, scope, routed, world)
      const refusal = isAdmitted ? null : admit(found)
      if (refusal !== null) return { kind: 'refused', refusal, organization: found.organization }
      isAdmitted = true
      if (claim.keyId !== null) proven(claim)
      // The storage, which keeps the exact count, has admitted a key that this instance believed used up. No query was
      // run, so the read is repeated.
      if (spent !== null) return tenant.read(queries)
      return { kind: 'read', organization: found.organization, results: found.results }
    },
  }
  return tenant
}

/** The claim of an organization's key: its id and the hashes under which it may be stored. */
export async function claimOf(
  key: Pick<PresentedKey, 'keyId' | 'text'>,
  organizationId: string,
  { secrets }: Pick<KeyWorld, 'secrets'>,
): Promise<KeyClaim> {
  return { organizationId, keyId: key.keyId, hashes: await keyedHashes('api-key', key.text, secrets) }
}

const PREFIX = `${AUTH_SCHEME} `

/**
 * The key of an `Authorization` header, or null. The prefix `Bearer ` is mandatory and case-sensitive, with exactly
 * one space (contract, Authentication 1).
 */
export function readBearer(header: string | null): PresentedKey | null {
  const token = bearerToken(header)
  return token === null ? null : readKey(token)
}

/** The text after the prefix `Bearer `, whatever it is; null: the header does not have that prefix. */
export function bearerToken(header: string | null): string | null {
  return header?.startsWith(PREFIX) === true ? header.slice(PREFIX.length) : null
}

/** What an `Authorization` header that carries a key looks like, also one that is written wrongly. */
const CARRIES_KEY = new RegExp(`^(?:${AUTH_SCHEME}|Root-Secret-Proof) |_live_`, 'i')

const KEY_EXPOSED =
  'No key is accepted over plain http, where others can read it. Use https, and replace the key that was sent.'

/**
 * Refuses credentials that came over plain http, where others can read them, before anything is looked up. Between
 * programs of one machine nobody can, so loopback may use it. The scheme is that of the request's URL.
 * @param scope as for `unauthorized`; the sends keep the contract's one word. Null: the operator interface
 * @returns null: the request carries none, or came over https
 */
export function refuseExposedKey(
  { request, url }: Pick<RoutedRequest, 'request' | 'url'>,
  scope: Scope | null,
): Reply | null {
  if (isPrivate(url)) return null
  if (!CARRIES_KEY.test(request.headers.get('authorization') ?? '')) return null
  return scope === 'send' ? unauthorized(scope) : keyRefused(KEY_EXPOSED)
}

/** A key that was proven before. */
interface RememberedKey {
  readonly key: PresentedKey
  readonly claim: KeyClaim
}

/** The maximum number of remembered keys. They take a few hundred kilobytes. */
const KEYS_MAX = 1_000

/** The remembered keys by the root secrets that their hashes were made with, and then by their text. */
const remembered = new WeakMap<Secrets, Map<string, RememberedKey>>()

/**
 * What is remembered of a key, so that its parts and its hashes need not be computed again; null: nothing. It does not
 * tell whether the key still works: storage decides that for each request.
 */
function recallKey(text: string, secrets: Secrets): RememberedKey | null {
  return remembered.get(secrets)?.get(text) ?? null
}

/** Remembers a key that storage has found to work. Forged keys are not remembered, so they cannot displace others. */
function rememberKey(known: RememberedKey, secrets: Secrets): void {
  const keys = remembered.get(secrets) ?? new Map<string, RememberedKey>()
  remembered.set(secrets, keys)
  if (keys.size >= KEYS_MAX) keys.clear()
  keys.set(known.key.text, known)
}

/** A key that a request has proven to hold. */
interface ProvenKey {
  /** The whole key; null: it is not known. */
  readonly text: string | null
  readonly stored: WorkingKey
  /**
   * What this instance knows of the key's budget, when it was used up before the key was proven; null: it was not known
   * to be.
   */
  readonly spent: KeyBudget | null
  /**
   * The budget as the storage that proved the key has counted it; null: that storage does not count, so this instance
   * does.
   */
  readonly counted: KeyBudget | null
}

/**
 * Decides whether a proven key may make a call, and notes once for each request that the key was used. The rate is
 * checked before the scope, so that requests out of scope count too.
 * @returns the refusal; null: the key may make the call
 */
function admitKey(
  { text, stored, spent, counted }: ProvenKey,
  scope: Scope,
  routed: KeyedRequest,
  world: KeyWorld,
): Reply | null {
  const { organizationId, keyId, ratePerMinute } = stored
  const counting = () =>
    spent ?? (ratePerMinute === null ? null : world.rateLimiter.take(keyId, ratePerMinute))
  const budget = counted ?? counting()
  if (counted?.isExceeded === true) world.rateLimiter.learn(keyId, counted)
  routed.identified({ organizationId, keyId }, budget === null ? {} : rateLimitHeaders(budget))
  keepUp(text, stored, world.keys, world)
  if (budget?.isExceeded === true) return tooManyRequests(budget)
  return covers(stored.scope, scope) ? null : outOfScope(scope)
}

/** Decides whether somebody who signed in without a key may make a call: they read. Null: they may. */
function admitOther(organizationId: string, scope: Scope, { identified }: KeyedRequest): Reply | null {
  identified({ organizationId, keyId: null })
  return covers('read', scope) ? null : outOfScope(scope)
}

/** Whether a key with this scope may make a call that needs `needed`. */
export function covers(scope: KeyScope, needed: Scope): boolean {
  return scope === 'all' || scope === needed
}

const uses: Readonly<Record<Scope, string>> = { read: 'read data', send: 'send messages' }

/** The answer to a good key whose scope does not cover the call. */
function outOfScope(needed: Scope): Reply {
  return keyRefused(`The scope of this key does not allow it to ${uses[needed]}.`)
}

/** The parts of a stored key, of any kind, on which its upkeep depends. */
interface KeptKey {
  readonly keyId: string
  readonly secretVersion: string
  readonly lastUsedAt: string | null
  /** The organization that owns the key, for kinds of keys whose database depends on it. */
  readonly organizationId?: string | null
}

const HOUR_MS = 3_600_000

/**
 * After the response, writes what the use of a proven key changes: the hour of its use, once for each hour however many
 * requests the key makes; and its hash under the current root secret, when it was stored under the previous one.
 * @param text the whole key; null: it is not known, so it keeps its hash
 */
export function keepUp(
  text: string | null,
  { keyId, secretVersion, lastUsedAt, organizationId }: KeptKey,
  store: KeyUpkeep,
  { secrets: { current }, background, clock }: Pick<KeyWorld, 'secrets' | 'background' | 'clock'>,
): void {
  if (text !== null && secretVersion !== current.version) {
    const rehash = async () =>
      store.rehashKey(keyId, await hashKey(text, current), current.version, organizationId)
    background.run(rehash())
  }
  const nowMs = clock.nowMs()
  const hour = toInstant(nowMs - (nowMs % HOUR_MS))
  if (lastUsedAt === null || lastUsedAt < hour) background.run(store.noteKeyUse(keyId, hour, organizationId))
}
