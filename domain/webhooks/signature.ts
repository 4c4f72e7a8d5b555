import type { RandomSource } from '../../ports/platform.ts'
import { seal, unseal } from '../access/sealed.ts'
import type { Secrets } from '../access/secrets.ts'
import {
  bytesOfBase64,
  decodeUtf8,
  equalInConstantTime,
  fromBase64Url,
  toBase64,
  toBase64Url,
  utf8,
} from '../text/encoding.ts'

// Deliveries are signed as Standard Webhooks says (standardwebhooks.com), so that its libraries verify them.

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret, as it is shown once. */
export function drawSecret(random: RandomSource): string {
  return PREFIX + toBase64(random.bytes(SECRET_BYTES))
}

/** The headers of a message. @param secrets all that sign it, as they were shown */
export async function signedHeaders(
  { id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
  secrets: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(atMs / 1000))
  const signatures = await Promise.all(secrets.map((secret) => signatureOf({ id, timestamp, body }, secret)))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** What a signature covers. */
interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: string
  readonly body: string
}

async function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): Promise<string> {
  const bytes = bytesOfBase64(secret.slice(PREFIX.length))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, utf8(`${id}.${timestamp}.${body}`))
  return `v1,${toBase64(new Uint8Array(mac))}`
}

/** How far the time of a message may be from now, in ms. */
const TOLERANCE_MS = 300_000

/**
 * Whether a message that came is signed with a secret, now.
 * @param signatures those that it came with, with spaces between them, of which one must be right
 */
export async function isSigned(
  message: SignedMessage,
  signatures: string,
  secret: string,
  nowMs: number,
): Promise<boolean> {
  if (!/^\d{1,12}$/.test(message.timestamp)) return false
  if (Math.abs(nowMs - Number(message.timestamp) * 1_000) > TOLERANCE_MS) return false
  const expected = utf8(await signatureOf(message, secret))
  return signatures.split(' ').some((given) => equalInConstantTime(utf8(given), expected))
}

// A secret must be known to sign, so it is stored sealed, for its webhook alone: `{version of the root secret}.{sealed}`.

/** The webhook to which a secret belongs. */
export interface SecretOwner {
  readonly organizationId: string
  readonly webhookId: string
}

/** Encrypts a secret under the current root secret. */
export async function sealSecret(
  secret: string,
  owner: SecretOwner,
  { current }: Pick<Secrets, 'current'>,
  random: RandomSource,
): Promise<string> {
  const sealed = await seal(utf8(secret), nameOf(owner), 'webhook-secret', current, random)
  return `${current.version}.${toBase64Url(sealed)}`
}

/** A stored secret that was read. */
export interface OpenedSecret {
  readonly secret: string
  /** Whether it is encrypted under the current root secret. */
  readonly isCurrent: boolean
}

/** Decrypts a stored secret; null: it is under neither root secret, or not of this webhook. */
export async function openSecret(
  stored: string,
  owner: SecretOwner,
  secrets: Secrets,
): Promise<OpenedSecret | null> {
  const [version = '', text = ''] = stored.split('.')
  const under = secrets.find(version)
  const bytes = fromBase64Url(text)
  if (under === null || bytes === null) return null
  const opened = await unseal(bytes, nameOf(owner), 'webhook-secret', under)
  const secret = opened === null ? null : decodeUtf8(opened)
  return secret === null ? null : { secret, isCurrent: version === secrets.current.version }
}

function nameOf({ organizationId, webhookId }: SecretOwner): string {
  return JSON.stringify([organizationId, webhookId])
}
