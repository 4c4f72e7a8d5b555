import type { KeyAttributes, KeyKind, StoredKey, StoredOperatorKey } from '../../ports/organizations.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import { equalInConstantTime, randomBase62, toBase62, utf8, keysOf } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { keyedHash, type Secrets, type SecretVersion } from './secrets.ts'

/**
 * The parts of a key: `ck_live_{organizationId}_{keyId}{secret}{checksum}` for a tenant, `pk_live_{keyId}…` for
 * the platform. The key id names the stored row, the secret (28 base-62 characters, 166 bits) proves possession,
 * and the CRC-32 in six characters lets a scanner or the server refuse a mistyped key without a look-up.
 */
export interface PresentedKey {
  readonly kind: KeyKind
  /** Null for a platform key. */
  readonly organizationId: string | null
  readonly keyId: string
  /** The whole key. */
  readonly text: string
}

/** What the keys of each kind begin with. */
export const KEY_PREFIXES: Readonly<Record<KeyKind, string>> = { tenant: 'ck_live_', platform: 'pk_live_' }

/** What the keys of operators begin with. */
export const OPERATOR_KEY_PREFIX = 'ok_live_'

/** The maximum length of an organization id, in characters. */
export const ORGANIZATION_ID_MAX_LENGTH = 64
const ORGANIZATION_ID = `[A-Za-z0-9][A-Za-z0-9_-]{0,${ORGANIZATION_ID_MAX_LENGTH - 1}}`

const KEY_ID_LENGTH = 12
const SECRET_LENGTH = 28
const CHECKSUM_LENGTH = 6
/** The end of every key, as a pattern: the key id, which it captures, the secret and the checksum. */
const KEY_TAIL = `([0-9A-Za-z]{${KEY_ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`
const TENANT_KEY = new RegExp(`^${KEY_PREFIXES.tenant}(${ORGANIZATION_ID})_${KEY_TAIL}$`)
const PLATFORM_KEY = new RegExp(`^${KEY_PREFIXES.platform}${KEY_TAIL}$`)
const OPERATOR_KEY = new RegExp(`^${OPERATOR_KEY_PREFIX}${KEY_TAIL}$`)
const KEY_ID = new RegExp(`^[0-9A-Za-z]{${KEY_ID_LENGTH}}$`)
const WHOLE_ORGANIZATION_ID = new RegExp(`^${ORGANIZATION_ID}$`)

/** Whether an organization id can be part of a key. */
export function isOrganizationId(text: string): boolean {
  return WHOLE_ORGANIZATION_ID.test(text)
}

/** Whether a text has the form of a key's id. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text)
}

/** Splits a key into its parts; null when it is malformed or its checksum is wrong. Does no look-up. */
export function readKey(text: string): PresentedKey | null {
  if (!hasGoodChecksum(text)) return null
  const tenant = TENANT_KEY.exec(text)
  if (tenant?.[1] !== undefined && tenant[2] !== undefined) {
    return { kind: 'tenant', organizationId: tenant[1], keyId: tenant[2], text }
  }
  const platform = PLATFORM_KEY.exec(text)
  return platform?.[1] === undefined
    ? null
    : { kind: 'platform', organizationId: null, keyId: platform[1], text }
}

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

/** The attributes of a new key. */
export interface NewKey extends Partial<KeyAttributes> {
  /** The organization that owns the key; null: the platform. */
  readonly organizationId: string | null
  /** The first UTC instant at which the key no longer works; null: it does not expire. */
  readonly expiresAt?: string | null
  /** The operator key that issues it; left out: the holder of the root secret does. */
  readonly issuedBy?: string | null
}

/** A key that was just made. */
export interface IssuedKey {
  /** The whole key: shown once, never stored. */
  readonly key: string
  /** The row to store. */
  readonly stored: StoredKey
}

/** The attributes of a key that is issued without any. */
const UNLIMITED: KeyAttributes = { label: null, scope: 'all', ratePerMinute: null }

/** The attributes among what is given, and nothing else of it. */
function attributesOf(given: Partial<KeyAttributes>): KeyAttributes {
  const attributes = keysOf(UNLIMITED).map((name) => [name, given[name] ?? UNLIMITED[name]] as const)
  return { ...UNLIMITED, ...Object.fromEntries(attributes) }
}

/** Makes a new key. A key without attributes is unlimited. */
export async function issueKey(
  { organizationId, expiresAt = null, issuedBy = null, ...given }: NewKey,
  secrets: Secrets,
  random: RandomSource,
  clock: Clock,
): Promise<IssuedKey> {
  const kind = organizationId === null ? 'platform' : 'tenant'
  const owner = organizationId === null ? '' : `${organizationId}_`
  const { keyId, key } = drawKey(KEY_PREFIXES[kind] + owner, random)
  const stored: StoredKey = {
    keyId,
    kind,
    organizationId,
    hash: await hashKey(key, secrets.current),
    secretVersion: secrets.current.version,
    createdAt: toInstant(clock.nowMs()),
    revokedAt: null,
    ...attributesOf(given),
    expiresAt,
    lastUsedAt: null,
    successorId: null,
    issuedBy,
  }
  return { key, stored }
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

/** Draws the id and the secret of a new key at random. `key` is the whole text. */
function drawKey(prefix: string, random: RandomSource): { readonly keyId: string; readonly key: string } {
  const draw = (length: number) => randomBase62(length, (count) => random.bytes(count))
  const keyId = draw(KEY_ID_LENGTH)
  const unchecked = `${prefix}${keyId}${draw(SECRET_LENGTH)}`
  return { keyId, key: unchecked + checksum(unchecked) }
}

/** The hash under which a key is stored. */
export function hashKey(key: string, secret: SecretVersion): Promise<string> {
  return keyedHash('api-key', key, secret)
}

/**
 * Whether a stored key is the presented one and was not revoked. Expiry is not checked here, because the store never
 * returns an expired key. The comparison takes the same time wherever the first difference between the hashes is.
 */
export async function isKey(presented: PresentedKey, stored: StoredKey, secrets: Secrets): Promise<boolean> {
  const secret = secrets.find(stored.secretVersion)
  if (secret === null || stored.revokedAt !== null) return false
  if (stored.kind !== presented.kind || stored.organizationId !== presented.organizationId) return false
  return equalInConstantTime(utf8(stored.hash), utf8(await hashKey(presented.text, secret)))
}

/** Whether the checksum at the end of a key fits the rest of it. A mistyped key thus needs no look-up. */
export function hasGoodChecksum(text: string): boolean {
  return text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH))
}

function checksum(text: string): string {
  return toBase62(crc32(utf8(text)), CHECKSUM_LENGTH)
}

/** Reflected polynomial of CRC-32 as used by zip and Ethernet (ISO 3309). */
const POLYNOMIAL = 0xedb88320

/** CRC-32 of bytes, as an unsigned 32-bit integer. Detects every change of up to 32 adjacent bits. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
