import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { setImmediate } from 'node:timers'

// Node computes each signature, hash and derived key of Web Crypto on another thread. For the short texts of tests, waking
// that thread costs ten times the work itself, which was an eighth of all that the tests compute. They are computed here at
// once, with the same results, which come in a later turn of the event loop as they do otherwise. Keys that were not
// imported from their bytes, and other algorithms, are left as they are.

type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>

const { subtle } = crypto
const importKey = subtle.importKey.bind(subtle)
const sign = subtle.sign.bind(subtle)
const digest = subtle.digest.bind(subtle)
const deriveBits = subtle.deriveBits.bind(subtle)

/** The bytes of keys. Nothing tells them of a key that may not be exported. */
const material = new WeakMap<CryptoKey, Uint8Array>()

/** The name by which Node knows a hash: `SHA-256` is `sha256`. */
function hashName(algorithm: AlgorithmIdentifier): string {
  return (typeof algorithm === 'string' ? algorithm : algorithm.name).replace('-', '').toLowerCase()
}

function bytesOf(data: Bytes): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
}

async function inLaterTurn(bytes: Uint8Array | ArrayBuffer): Promise<ArrayBuffer> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve)
  })
  return new Uint8Array(bytes).buffer
}

async function imported(...given: Parameters<SubtleCrypto['importKey']>): Promise<CryptoKey> {
  const key = await importKey(...given)
  const [format, bytes] = given
  if (format === 'raw') material.set(key, Uint8Array.from(bytesOf(bytes)))
  return key
}

async function derived(algorithm: HkdfParams, key: CryptoKey, length: number): Promise<ArrayBuffer> {
  const bytes = material.get(key)
  if (bytes === undefined || key.algorithm.name !== 'HKDF') return deriveBits(algorithm, key, length)
  const { hash, salt, info } = algorithm
  return inLaterTurn(hkdfSync(hashName(hash), bytes, bytesOf(salt), bytesOf(info), length / 8))
}

// None of them calls another by its name in Web Crypto: the simulation answers such calls one after the other.
Object.assign(SubtleCrypto.prototype, {
  importKey: imported,

  async sign(algorithm: AlgorithmIdentifier, key: CryptoKey, data: Bytes) {
    const bytes = material.get(key)
    if (bytes === undefined || key.algorithm.name !== 'HMAC') return sign(algorithm, key, data)
    const { hash } = key.algorithm as HmacKeyAlgorithm
    return inLaterTurn(createHmac(hashName(hash), bytes).update(bytesOf(data)).digest())
  },

  async digest(algorithm: AlgorithmIdentifier, data: Bytes) {
    return hashName(algorithm).startsWith('sha')
      ? inLaterTurn(createHash(hashName(algorithm)).update(bytesOf(data)).digest())
      : digest(algorithm, data)
  },

  deriveBits: derived,

  async deriveKey(
    algorithm: HkdfParams,
    key: CryptoKey,
    of: HmacImportParams & { readonly length?: number },
    isExtractable: boolean,
    usages: readonly KeyUsage[],
  ) {
    return imported('raw', await derived(algorithm, key, of.length ?? 512), of, isExtractable, usages)
  },
})
