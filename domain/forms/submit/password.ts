import type { RandomSource } from '../../../ports/random-source.ts'
import type { Secrets, SecretVersion } from '../../access/secrets.ts'
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../../text/encoding.ts'

const ALGORITHM = 'pbkdf2-sha256'
/** About 14 ms of CPU; also the most that Cloudflare's WebCrypto accepts. */
const ITERATIONS = 100_000
const SALT_BYTES = 16
const HASH_BYTES = 32

/** `algorithm$iterations$secret version$salt$hash`, the last three in base64url. */
const STORED = /^pbkdf2-sha256\$([1-9]\d{0,5})\$([\w-]+)\$([\w-]+)\$([\w-]+)$/

export interface PasswordCheck {
  readonly ok: boolean
  /** The password fits but was hashed under an older secret or with other parameters: hash it again. */
  readonly rehash: boolean
}

const wrong: PasswordCheck = { ok: false, rehash: false }

/**
 * Hashes a form password for storage: PBKDF2-SHA-256 over its HMAC under the root secret's subkey, so that a stolen
 * table alone cannot be searched for weak passwords.
 */
export async function hashFormPassword(
  password: string,
  secrets: Secrets,
  random: RandomSource,
): Promise<string> {
  const salt = random.bytes(SALT_BYTES)
  const hash = await derive(password, secrets.current, salt, ITERATIONS)
  return [ALGORITHM, ITERATIONS, secrets.current.version, toBase64Url(salt), toBase64Url(hash)].join('$')
}

/**
 * Whether `password` is the one that `stored` was made from, compared in constant time. A stored text that cannot be
 * read, or that was made under a secret no longer known, fits no password.
 */
export async function verifyFormPassword(
  password: string,
  stored: string,
  secrets: Secrets,
): Promise<PasswordCheck> {
  const [, iterationsText = '', version = '', saltText = '', hashText = ''] = STORED.exec(stored) ?? []
  const secret = secrets.find(version)
  const salt = fromBase64Url(saltText)
  const expected = fromBase64Url(hashText)
  const iterations = Number(iterationsText)
  if (secret === null || salt === null || expected === null || iterations > ITERATIONS) return wrong
  const actual = await derive(password, secret, salt, iterations)
  if (!equalInConstantTime(expected, actual)) return wrong
  return { ok: true, rehash: version !== secrets.current.version || iterations !== ITERATIONS }
}

async function derive(
  password: string,
  secret: SecretVersion,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<Uint8Array> {
  const material = await secret.mac('form-password', utf8(password))
  const key = await crypto.subtle.importKey('raw', material, 'PBKDF2', false, ['deriveBits'])
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, HASH_BYTES * 8))
}
