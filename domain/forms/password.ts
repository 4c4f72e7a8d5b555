import type { RandomSource } from '../../ports/platform.ts'
import type { Secrets, SecretVersion } from '../access/secrets.ts'
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'

const ALGORITHM = 'pbkdf2-sha256'
/** They take about 14 ms of CPU, and Cloudflare's WebCrypto accepts no more. */
const ITERATIONS = 100_000
const SALT_BYTES = 16
const HASH_BYTES = 32

/** `algorithm$iterations$secret version$salt$hash`, the last three in base64url. */
const STORED = /^pbkdf2-sha256\$([1-9]\d{0,5})\$([\w-]+)\$([\w-]+)\$([\w-]+)$/

interface PasswordCheck {
  readonly ok: boolean
  /**
   * Whether the hash was made under an older secret or with other parameters, so that the password should be hashed
   * again.
   */
  readonly rehash: boolean
}

const wrong: PasswordCheck = { ok: false, rehash: false }

/**
 * Hashes a form password for storage: PBKDF2-SHA-256 over an HMAC of the password under a subkey of the root secret, so
 * that a stolen table alone does not allow guessing weak passwords.
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
 * Whether `password` is the one from which `stored` was made, compared in constant time. No password fits a stored text
 * that cannot be parsed, or that was made under an unknown secret.
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
