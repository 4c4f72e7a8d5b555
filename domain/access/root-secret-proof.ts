import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'
import type { SecretVersion } from './secrets.ts'

/**
 * The proof that a caller holds the root secret, which itself never travels:
 * `Authorization: Root-Secret-Proof {seconds}.{mac}`, where the MAC is one under a subkey of the root secret over the
 * purpose, the instant and the hash of the request's body. So a proof is good for one body and a few minutes.
 */
export interface PresentedProof {
  /** When the caller made it, in seconds since 1970-01-01T00:00:00Z. */
  readonly atSeconds: number
  /** In base64url. */
  readonly mac: string
}

/** What is done with the proof. Another purpose needs another proof. */
const PURPOSE = 'operatorKeys.issue'
const SCHEME = 'Root-Secret-Proof '
const PROOF = /^(\d{1,12})\.([\w-]{43})$/

/** Longest time for which a proof is good, and how far the caller's clock may be ahead, in ms. */
const AGE_MAX_MS = 5 * 60_000

/** The header by which the holder of a root secret asks for an operator key with this body. */
export async function proveRootSecret(
  secret: SecretVersion,
  body: Uint8Array<ArrayBuffer>,
  nowMs: number,
): Promise<string> {
  const atSeconds = Math.floor(nowMs / 1000)
  return `${SCHEME}${atSeconds}.${toBase64Url(await macOf(secret, atSeconds, body))}`
}

/** The proof in an `Authorization` header; null: there is none. */
export function readProof(header: string | null): PresentedProof | null {
  const [, seconds, mac] =
    PROOF.exec(header?.startsWith(SCHEME) === true ? header.slice(SCHEME.length) : '') ?? []
  return seconds === undefined || mac === undefined ? null : { atSeconds: Number(seconds), mac }
}

/** Whether a proof was made no longer ago than it is good for, by this clock. */
export function isRecent({ atSeconds }: PresentedProof, nowMs: number): boolean {
  return Math.abs(nowMs - atSeconds * 1000) <= AGE_MAX_MS
}

/** Whether a proof was made with this root secret for a request with this body. */
export async function isProofOf(
  { atSeconds, mac }: PresentedProof,
  secret: SecretVersion,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const given = fromBase64Url(mac)
  return given !== null && equalInConstantTime(given, await macOf(secret, atSeconds, body))
}

async function macOf(
  secret: SecretVersion,
  atSeconds: number,
  body: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bodyHash = toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))
  return secret.mac('root-secret-proof', utf8(`${PURPOSE}\n${atSeconds}\n${bodyHash}`))
}
