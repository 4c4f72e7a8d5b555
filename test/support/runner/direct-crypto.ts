import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { setImmediate } from 'node:timers'

// Node computes each signature, hash and derived key of Web Crypto on another thread. For the short texts of tests, waking
// that thread costs ten times the work itself, which was an eighth of all that the tests compute. They are computed here at
// once, with the same results, which come in a later turn of the event loop as they do otherwise. Keys that were not
// imported from their bytes, and other algorithms, are left as they are.

type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>

const { prototype } = SubtleCrypto
const { importKey, sign, digest, deriveBits } = prototype

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

async function imported(subtle: SubtleCrypto, ...given: Parameters<SubtleCrypto['importKey']>) {
  const key = await importKey.apply(subtle, given)
  const [format, bytes] = given
  if (format === 'raw') material.set(key, Uint8Array.from(bytesOf(bytes as Bytes)))
  return key
}

async function derived(subtle: SubtleCrypto, algorithm: HkdfParams, key: CryptoKey, length: number) {
  const bytes = material.get(key)
  if (bytes === undefined || key.algorithm.name !== 'HKDF')
    return deriveBits.call(subtle, algorithm, key, length)
  const { hash, salt, info } = algorithm
  const name = hashName(hash as AlgorithmIdentifier)
  return inLaterTurn(hkdfSync(name, bytes, bytesOf(salt as Bytes), bytesOf(info as Bytes), length / 8))
}

// Each of them calls none of the others by `this`: the simulation answers calls one after the other.
Object.assign(prototype, {
  async importKey(this: SubtleCrypto, ...given: Parameters<SubtleCrypto['importKey']>) {
    return imported(this, ...given)
  },

  async sign(this: SubtleCrypto, algorithm: AlgorithmIdentifier, key: CryptoKey, data: Bytes) {
    const bytes = material.get(key)
    if (bytes === undefined || key.algorithm.name !== 'HMAC') return sign.call(this, algorithm, key, data)
    const { hash } = key.algorithm as HmacKeyAlgorithm
    return inLaterTurn(createHmac(hashName(hash), bytes).update(bytesOf(data)).digest())
  },

  async digest(this: SubtleCrypto, algorithm: AlgorithmIdentifier, data: Bytes) {
    return hashName(algorithm).startsWith('sha')
      ? inLaterTurn(createHash(hashName(algorithm)).update(bytesOf(data)).digest())
      : digest.call(this, algorithm, data)
  },

  async deriveBits(this: SubtleCrypto, algorithm: HkdfParams, key: CryptoKey, length: number) {
    return derived(this, algorithm, key, length)
  },

  async deriveKey(
    this: SubtleCrypto,
    algorithm: HkdfParams,
    key: CryptoKey,
    of: HmacImportParams & { readonly length?: number },
    isExtractable: boolean,
    usages: readonly KeyUsage[],
  ) {
    const bits = await derived(this, algorithm, key, of.length ?? 512)
    return imported(this, 'raw', bits, of, isExtractable, usages)
  },
})
