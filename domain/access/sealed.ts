import type { RandomSource } from '../../ports/platform.ts'
import { concatenated, utf8 } from '../text/encoding.ts'
import type { RawPurpose, SecretVersion } from './secrets.ts'

// What must be known again is stored encrypted: under AES-GCM, the nonce first. It is bound to what it belongs to, so that
// nobody who can write to the database makes it stand for another.

const NONCE_BYTES = 12
const KEY_BYTES = 32

/** Encrypts bytes under the purpose's subkey of a root secret. `owner` names what they belong to. */
export async function seal(
  bytes: Uint8Array<ArrayBuffer>,
  owner: string,
  purpose: RawPurpose,
  under: SecretVersion,
  random: RandomSource,
): Promise<Uint8Array<ArrayBuffer>> {
  const nonce = Uint8Array.from(random.bytes(NONCE_BYTES))
  const sealed = await crypto.subtle.encrypt(cipher(nonce, owner), await keyOf(purpose, under), bytes)
  return concatenated([nonce, new Uint8Array(sealed)])
}

/** Decrypts sealed bytes; null: they were sealed under another secret or for another purpose, or belong to another. */
export async function unseal(
  sealed: Uint8Array<ArrayBuffer>,
  owner: string,
  purpose: RawPurpose,
  under: SecretVersion,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const [nonce, rest] = [sealed.slice(0, NONCE_BYTES), sealed.slice(NONCE_BYTES)]
  const opened = crypto.subtle.decrypt(cipher(nonce, owner), await keyOf(purpose, under), rest)
  return opened.then((bytes) => new Uint8Array(bytes)).catch(() => null)
}

function cipher(iv: Uint8Array<ArrayBuffer>, owner: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: utf8(owner) }
}

async function keyOf(purpose: RawPurpose, under: SecretVersion): Promise<CryptoKey> {
  const bytes = await under.subkey(purpose, KEY_BYTES)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
