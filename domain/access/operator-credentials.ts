import type { OperatorRole, StoredOperatorKey } from '../../ports/organizations.ts'
import type { PersonInRole, PersonRole, Session } from '../../ports/people.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import { toInstant } from '../text/instant.ts'
import { drawKey, hasGoodChecksum, hashKey, KEY_TAIL } from './api-key.ts'
import type { Secrets, Purpose, SecretVersion } from './secrets.ts'
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'

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

/** What the keys of operators begin with. */
export const OPERATOR_KEY_PREFIX = 'ok_live_'
/**
 * How many keys of each kind the record of a revocation names. A record has a maximum size, and more must not make the
 * revocation fail.
 */
export const REVOKED_NAMED_MAX = 1000

/** How many databases of families one revocation asks, because the platform limits the calls of a request. */
export const REVOKED_PLACES_MAX = 400

const OPERATOR_KEY = new RegExp(`^${OPERATOR_KEY_PREFIX}${KEY_TAIL}$`)

/** An operator key as it was presented: `ok_live_{keyId}{secret}{checksum}`, with the same parts as every other key. */
interface PresentedOperatorKey {
  readonly keyId: string
  /** The whole key. */
  readonly text: string
}

/** Splits a key into its parts; null when it is no operator key or its checksum is wrong. Does no look-up. */
export function readOperatorKey(text: string): PresentedOperatorKey | null {
  const keyId = hasGoodChecksum(text) ? OPERATOR_KEY.exec(text)?.[1] : undefined
  return keyId === undefined ? null : { keyId, text }
}

/** The operator for whom a new key is made. */
type OperatorKeyGrant = Pick<StoredOperatorKey, 'operator' | 'role' | 'expiresAt' | 'issuedBy'>

/** Makes a new operator key. `key` is shown once and never stored; `stored` is what goes to the store. */
export async function issueOperatorKey(
  { operator, role, expiresAt, issuedBy }: OperatorKeyGrant,
  { current }: Pick<Secrets, 'current'>,
  random: RandomSource,
  clock: Clock,
): Promise<{ readonly key: string; readonly stored: StoredOperatorKey }> {
  const { keyId, key } = drawKey(OPERATOR_KEY_PREFIX, random)
  const stored: StoredOperatorKey = {
    keyId,
    operator,
    role,
    hash: await hashKey(key, current),
    secretVersion: current.version,
    createdAt: toInstant(clock.nowMs()),
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    issuedBy,
  }
  return { key, stored }
}

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
