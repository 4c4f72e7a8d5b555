import { fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'

/** The purpose of a subkey of the root secret. Each purpose has its own key, derived by HKDF. */
export type Purpose =
  | 'api-key'
  | 'cursor'
  | 'erased-address'
  | 'form-password'
  | 'root-secret-proof'
  | 'session'
  | 'network'
  | 'submission-sign'

/** The purposes of subkeys that are needed as raw bytes. */
export type RawPurpose = 'purchase-id' | 'import-reading' | 'webhook-secret'

/** One root secret and the operations with it; the secret itself cannot be read out. */
export interface SecretVersion {
  /** Names the secret without revealing it: eight characters derived from it. */
  readonly version: string
  /** HMAC-SHA-256 of `message` under the purpose's subkey: 32 bytes. */
  mac(purpose: Purpose, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  /** The purpose's subkey itself, `lengthBytes` long. */
  subkey(purpose: RawPurpose, lengthBytes: number): Promise<Uint8Array<ArrayBuffer>>
}

/** The root secret in force, and the one before while a rotation lasts. */
export interface Secrets {
  readonly current: SecretVersion
  readonly previous: SecretVersion | null
  /** The secret of that version, or null when it is neither the current nor the previous one. */
  find(version: string): SecretVersion | null
}

/** The hash under which a text is stored: HMAC-SHA-256 under the purpose's subkey of a root secret, base64url. */
export async function keyedHash(purpose: Purpose, text: string, secret: SecretVersion): Promise<string> {
  return toBase64Url(await secret.mac(purpose, utf8(text)))
}

/** The hashes under which a text may be stored: with the current root secret and, during a rotation, the previous one. */
export async function keyedHashes(
  purpose: Purpose,
  text: string,
  { current, previous }: Pick<Secrets, 'current' | 'previous'>,
): Promise<readonly [current: string] | readonly [current: string, previous: string]> {
  const newest = await keyedHash(purpose, text, current)
  return previous === null ? [newest] : [newest, await keyedHash(purpose, text, previous)]
}

const ROOT_SECRET_BYTES = 32

/** Why a root secret cannot be used, or null when it can. */
export function rootSecretProblem(text: string): string | null {
  const bytes = fromBase64Url(text)
  if (bytes?.length === ROOT_SECRET_BYTES) return null
  return `must be ${ROOT_SECRET_BYTES} random bytes in base64url without padding (43 characters)`
}

/** Derives everything from the root secrets (base64url, 32 bytes each). Throws when one is not usable. */
export async function openSecrets(root: string, previousRoot: string | null): Promise<Secrets> {
  const current = await openVersion(root)
  const previous = previousRoot === null ? null : await openVersion(previousRoot)
  return {
    current,
    previous,
    find: (version) => [current, previous].find((secret) => secret?.version === version) ?? null,
  }
}

async function openVersion(root: string): Promise<SecretVersion> {
  const problem = rootSecretProblem(root)
  const bytes = fromBase64Url(root)
  if (problem !== null || bytes === null) throw new Error(`The root secret ${problem ?? 'is unusable'}`)
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits', 'deriveKey'])
  const hkdf = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: utf8(info),
  })
  const fingerprint = await crypto.subtle.deriveBits(hkdf('version'), material, 48)

  const keys = new Map<Purpose, Promise<CryptoKey>>()
  const keyOf = (purpose: Purpose): Promise<CryptoKey> => {
    const known = keys.get(purpose)
    if (known !== undefined) return known
    const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
    const key = crypto.subtle.deriveKey(hkdf(purpose), material, hmac, false, ['sign'])
    keys.set(purpose, key)
    return key
  }
  return {
    version: toBase64Url(new Uint8Array(fingerprint)),
    subkey: async (purpose, lengthBytes) =>
      new Uint8Array(await crypto.subtle.deriveBits(hkdf(purpose), material, lengthBytes * 8)),
    mac: async (purpose, message) =>
      new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(purpose), message)),
  }
}
