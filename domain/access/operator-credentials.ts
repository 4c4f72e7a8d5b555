import type { OperatorRole, AuthorizedClaim, KeyClaim } from '../../ports/organizations.ts'
import type {
  PersonInRole,
  PersonRole,
  Session,
  OpenSession,
  People,
  SessionTimes,
} from '../../ports/operators.ts'
import type { Clock, RandomSource, Background } from '../../ports/platform.ts'
import { toInstant } from '../text/instant.ts'
import { type Secrets, type Purpose, type SecretVersion, keyedHashes } from './secrets.ts'
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'
import {
  errorReply,
  notFound,
  type ErrorBody,
  type JsonReply,
  type Reply,
  type RoutedRequest,
} from '../record/reply.ts'
import { isAt, isPrivate } from '../text/http.ts'

// Who sends a request to the operator interface, and what they can show besides a key: a proof of the root secret, or a
// session.

/** The roles of operators, the one with the fewest rights first. */
export const operatorRoles = ['support', 'admin'] as const satisfies readonly OperatorRole[]

/** The sender of a request to the operator interface: an operator with a key, or a person who signed in. */
export interface Operator {
  /**
   * Null: a person signed in; or the caller proved to hold the root secret, which needs no key, so that the first key can
   * be made.
   */
  readonly keyId: string | null
  /** The person who signed in; null: a key is used. */
  readonly person: string | null
  /** The person or program that the key was issued to, or the address of the person. */
  readonly name: string
  /** In what the request is about. */
  readonly role: PersonRole
  /** The organizations that the operator may see; null: all. */
  readonly organizations: readonly string[] | null
  /** All roles of the person who signed in; none: a key is used. */
  readonly roles: readonly PersonInRole[]
  /** The instant at which the key ends; null: never. No key that it issues works longer. */
  readonly expiresAt: string | null
  /** The session that the request was made in; null: it carries a key. */
  readonly session: Session | null
}

/** What is recorded as the issuer of a key that an operator issues; null: the holder of the root secret. */
export function issuerOf({ keyId, person }: Operator): string | null {
  return person ?? keyId
}

/**
 * How many keys of each kind the record of a revocation names. A record has a maximum size, and more must not make the
 * revocation fail.
 */
export const REVOKED_NAMED_MAX = 1000

/** How many databases of families one revocation asks, because the platform limits the calls of a request. */
export const REVOKED_PLACES_MAX = 400

/**
 * The proof that a caller holds the root secret, without sending it: `Authorization: Root-Secret-Proof
 * {seconds}.{mac}`. The MAC is made under a subkey of the root secret, over the purpose, the host that the request is
 * sent to, the instant and the hash of the request's body. So a proof is valid at one host, for one body and a few
 * minutes: whoever received one cannot use it at another host that has the same root secret.
 */
interface PresentedProof {
  /** When the caller made it, in seconds since 1970-01-01T00:00:00Z. */
  readonly atSeconds: number
  /** In base64url. */
  readonly mac: string
}

/** The purpose of the proof. It is part of the MAC, so another purpose needs another proof. */
export const PROOF_PURPOSE = 'operatorKeys.issue'
/** The scheme in the `Authorization` header. */
export const PROOF_SCHEME = 'Root-Secret-Proof'
/** The subkey of the root secret under which a proof is made. */
export const PROOF_SUBKEY = 'root-secret-proof' satisfies Purpose
const PREFIX = `${PROOF_SCHEME} `
const PROOF = /^(\d{1,12})\.([\w-]{43})$/

/** For how long a proof is valid, and how far the caller's clock may be ahead, in ms. */
export const PROOF_AGE_MAX_MS = 5 * 60_000

/** What a proof is for, besides its purpose. */
export interface ProvenRequest {
  /** The host of the request's URL, with the port unless it is the scheme's own: `new URL(…).host`. */
  readonly host: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** The header by which the holder of a root secret asks for an operator key with this request. */
export async function proveRootSecret(
  secret: SecretVersion,
  request: ProvenRequest,
  nowMs: number,
): Promise<string> {
  const atSeconds = Math.floor(nowMs / 1000)
  return `${PREFIX}${atSeconds}.${toBase64Url(await macOf(secret, atSeconds, request))}`
}

/** The proof in an `Authorization` header; null: there is none. */
export function readProof(header: string | null): PresentedProof | null {
  const [, seconds, mac] =
    PROOF.exec(header?.startsWith(PREFIX) === true ? header.slice(PREFIX.length) : '') ?? []
  return seconds === undefined || mac === undefined ? null : { atSeconds: Number(seconds), mac }
}

/** Whether a proof is recent enough to be valid, by this clock. */
export function isRecent({ atSeconds }: PresentedProof, nowMs: number): boolean {
  return Math.abs(nowMs - atSeconds * 1000) <= PROOF_AGE_MAX_MS
}

/** Whether a proof was made with this root secret for this request. */
export async function isProofOf(
  { atSeconds, mac }: PresentedProof,
  secret: SecretVersion,
  request: ProvenRequest,
): Promise<boolean> {
  const given = fromBase64Url(mac)
  return given !== null && equalInConstantTime(given, await macOf(secret, atSeconds, request))
}

async function macOf(
  secret: SecretVersion,
  atSeconds: number,
  { host, body }: ProvenRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const bodyHash = toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))
  return secret.mac(PROOF_SUBKEY, utf8(`${PROOF_PURPOSE}\n${host}\n${atSeconds}\n${bodyHash}`))
}

// A session stands for a person, or for a key that signed in, in one browser. The browser holds a random secret in a
// cookie that no script can read; what is stored is a keyed hash of it, so a copy of the database opens no session.

/** How long a session works without being used, and at most. */
const IDLE_MS = 12 * 3_600_000
export const LIFE_MS = 30 * 24 * 3_600_000

/** A use is recorded once in this time, so that a page with many requests does not write with each. */
const NOTED_EVERY_MS = 5 * 60_000

/** The ports that sessions need. */
export interface SessionWorld {
  readonly people: People
  readonly secrets: Secrets
  readonly clock: Clock
  readonly background: Background
}

type SessionRequest = Pick<RoutedRequest, 'request' | 'url'>

/** What a browser can hold: a session, or that it has asked for a link to sign in. */
type CookieName = 'session' | 'sign-in'

/**
 * The name of a cookie at a host. The prefix keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2),
 * but needs https. A machine's own services share its cookies, whatever their ports, so there the port is in the name.
 */
function nameOf(name: CookieName, url: URL): string {
  return url.protocol === 'https:' ? `__Host-${name}` : `${name}-${url.port}`
}

/** The value of one of the service's cookies; null: the request has none. */
export function readCookie({ request, url }: SessionRequest, name: CookieName): string | null {
  // Cookies are used where nobody on the way can read them.
  if (!isPrivate(url)) return null
  const wanted = `${nameOf(name, url)}=`
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? ''
  return /^[\w-]{43}$/.test(value) ? value : null
}

/**
 * The header that sets a cookie.
 * @param value null: the browser is to forget it
 */
export function cookieHeader(
  name: CookieName,
  value: string | null,
  maxAgeMs: number,
  url: URL,
): Readonly<Record<string, string>> {
  const secure = url.protocol === 'https:' ? '; Secure' : ''
  const age = value === null ? 0 : Math.floor(maxAgeMs / 1000)
  const cookie = `${nameOf(name, url)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
  return { 'set-cookie': cookie }
}

const SECRET_BYTES = 32

/** A secret for a cookie or a link: 43 characters. */
export function drawSecret(random: RandomSource): string {
  return toBase64Url(random.bytes(SECRET_BYTES))
}

/** When sessions work, at this moment. */
export function sessionTimes({ clock }: Pick<SessionWorld, 'clock'>): SessionTimes {
  const nowMs = clock.nowMs()
  return { now: toInstant(nowMs), usedSince: toInstant(nowMs - IDLE_MS) }
}

/** The session of a request, by its cookie, and that it is in use; null: there is none that works. */
export async function readSession(routed: SessionRequest, world: SessionWorld): Promise<OpenSession | null> {
  const text = readCookie(routed, 'session')
  if (text === null) return null
  const hashes = await keyedHashes('session', text, world.secrets)
  const session = await world.people.findSession(hashes, sessionTimes(world))
  if (session === null) return null
  const nowMs = world.clock.nowMs()
  if (Date.parse(session.lastSeenAt) + NOTED_EVERY_MS <= nowMs)
    world.background.run(world.people.noteUse(hashes, toInstant(nowMs)))
  return session
}

/** Ends the session of a request, if it has one. */
export async function endSession(
  routed: SessionRequest,
  { people, secrets }: Pick<SessionWorld, 'people' | 'secrets'>,
): Promise<void> {
  const text = readCookie(routed, 'session')
  if (text !== null) await people.endSession(await keyedHashes('session', text, secrets))
}

const FOREIGN = 'This changes something, so a browser must ask for it from a page of this very host.'

/**
 * Refuses a change that a page of another host may have asked a browser for, as far as the browser says: cookies come
 * along with it (Fetch Metadata, and RFC 6454, section 7). Null: it comes from this host.
 */
export function refuseForeign({ request, url }: SessionRequest): JsonReply<403, ErrorBody> | null {
  const site = request.headers.get('sec-fetch-site')
  const isOwn = site === null ? request.headers.get('origin') === url.origin : site === 'same-origin'
  return isOwn ? null : errorReply(403, FOREIGN)
}

/** Whether a request asks for no change. */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * The addresses, after `/api/v1/`, at which a member reads an organization: its submissions, forms, contacts and reports.
 * One that ends with `/` stands for all that are below.
 */
export const MEMBER_READS = [
  ...['forms', 'forms/', 'contacts', 'contacts/', 'contact-lists', 'contact-lists/'],
  ...['members', 'cohorts', 'retention-offers', 'cancellations', 'cancellation-survey'],
] as const

function isOpenToMembers(address: string): boolean {
  // Anybody reads the document.
  return [...MEMBER_READS, 'openapi.json'].some((open) => isAt(address, open))
}

const FOR_OWNERS =
  'A member reads the organization’s submissions, forms, contacts and reports. Ask an owner of the organization for more.'

/**
 * By which right a session reads an address of an organization's data, or the refusal. Without any right the
 * organization is not there.
 * @param address what follows `/api/v1/`
 */
export function readingClaim(
  { by }: OpenSession,
  organizationId: string,
  address: string,
): KeyClaim | AuthorizedClaim | Reply {
  if (by.kind === 'tenantKey') return by.claim.organizationId === organizationId ? by.claim : notFound()
  if (by.kind === 'person') {
    const roles = by.roles.filter(
      (one) => one.organizationId === null || one.organizationId === organizationId,
    )
    if (roles.length === 0) return notFound()
    if (roles.every(({ role }) => role === 'member') && !isOpenToMembers(address))
      return errorReply(403, FOR_OWNERS)
  }
  return { organizationId, keyId: null }
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** The name of a browser for people, such as `Firefox on Windows`. Nothing else of what it says of itself is kept. */
export function browserName(userAgent: string | null): string {
  const named = (all: typeof BROWSERS) => all.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const browser = named(BROWSERS) ?? 'A program'
  const system = named(SYSTEMS)
  return system === undefined ? browser : `${browser} on ${system}`
}
