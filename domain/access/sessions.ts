import type { AuthorizedClaim, KeyClaim } from '../../ports/organizations.ts'
import type { OpenSession, People, SessionTimes } from '../../ports/people.ts'
import type { Background, Clock, RandomSource } from '../../ports/platform.ts'
import { errorReply, type ErrorBody, type JsonReply, type RoutedRequest } from '../record/reply.ts'
import { toBase64Url } from '../text/encoding.ts'
import { isLoopbackName } from '../text/http.ts'
import { toInstant } from '../text/instant.ts'
import { keyedHashes, type Secrets } from './secrets.ts'

// A session stands for a person, or for a key that signed in, in one browser. The browser holds a random secret in a
// cookie that no script can read; what is stored is a keyed hash of it, so a copy of the database opens no session.

/** How long a session works without being used, and at most. */
export const IDLE_MS = 12 * 3_600_000
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
export type CookieName = 'session' | 'sign-in'

/**
 * The name of a cookie at a host. The prefix keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2),
 * but needs https. A machine's own services share its cookies, whatever their ports, so there the port is in the name.
 */
function nameOf(name: CookieName, url: URL): string {
  return url.protocol === 'https:' ? `__Host-${name}` : `${name}-${url.port}`
}

/** Whether cookies may be used: nobody on the way can read them. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopbackName(hostname)
}

/** The value of one of the service's cookies; null: the request has none. */
export function readCookie({ request, url }: SessionRequest, name: CookieName): string | null {
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
 * By which right a session reads the data of an organization; null: by none, so that the organization is not there for
 * it.
 */
export function readingClaim({ by }: OpenSession, organizationId: string): KeyClaim | AuthorizedClaim | null {
  if (by.kind === 'tenantKey') return by.claim.organizationId === organizationId ? by.claim : null
  const isOpen =
    by.kind === 'operatorKey' ||
    by.roles.some((role) => role.organizationId === null || role.organizationId === organizationId)
  return isOpen ? { organizationId, keyId: null } : null
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
