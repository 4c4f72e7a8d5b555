import type { RandomSource } from '../../ports/platform/random-source.ts'
import type { Secrets, SecretVersion } from '../access/secrets.ts'
import { bytesOfBase64, concatenated, toBase64, utf8 } from '../text/encoding.ts'
import type { Reading } from './read-part.ts'

/** A reading as it is stored with its session. */
export interface StoredReading extends Reading {
  /**
   * The version of the root secret under which `rest` is sealed: AES-GCM, the nonce first, bound to the import. Null or
   * left out: `rest` is not sealed.
   */
  readonly sealedUnder?: string | null
}

const KEY_BYTES = 32
const NONCE_BYTES = 12

/** The ports by which the rest of a reading is sealed. */
interface Sealing {
  readonly secrets: () => Promise<Secrets>
  readonly random: RandomSource
}

/** Seals what waits of an incomplete line, because it may contain a secret of the line. */
export async function sealReading(
  reading: Reading,
  importId: string,
  { secrets, random }: Sealing,
): Promise<StoredReading> {
  if (reading.rest === '') return reading
  const { current } = await secrets()
  const nonce = random.bytes(NONCE_BYTES).slice()
  const sealed = await crypto.subtle.encrypt(
    algorithm(nonce, importId),
    await keyOf(current, 'encrypt'),
    bytesOfBase64(reading.rest),
  )
  return {
    ...reading,
    rest: toBase64(concatenated([nonce, new Uint8Array(sealed)])),
    sealedUnder: current.version,
  }
}

/** The reading as it was before it was stored. Null: the root secret that sealed it is no longer there. */
export async function unsealReading(
  { sealedUnder = null, ...stored }: StoredReading,
  importId: string,
  { secrets }: Pick<Sealing, 'secrets'>,
): Promise<Reading | null> {
  if (sealedUnder === null) return stored
  const secret = (await secrets()).find(sealedUnder)
  if (secret === null) return null
  const bytes = bytesOfBase64(stored.rest)
  const rest = await crypto.subtle.decrypt(
    algorithm(bytes.slice(0, NONCE_BYTES), importId),
    await keyOf(secret, 'decrypt'),
    bytes.slice(NONCE_BYTES),
  )
  return { ...stored, rest: toBase64(new Uint8Array(rest)) }
}

function algorithm(nonce: Uint8Array<ArrayBuffer>, importId: string): AesGcmParams {
  return { name: 'AES-GCM', iv: nonce, additionalData: utf8(importId) }
}

async function keyOf(secret: SecretVersion, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  const bytes = await secret.subkey('import-reading', KEY_BYTES)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [use])
}
