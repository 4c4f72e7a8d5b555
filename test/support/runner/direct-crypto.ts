import { createHash, createHmac, hkdfSync } from 'node:crypto'

// Node computes each signature, hash and derived key of Web Crypto on another thread. For the short texts of tests, waking
// that thread costs ten times the work itself, which was an eighth of all that the tests compute. They are computed here at
// once, with the same results. Keys that were not imported from their bytes, and other algorithms, are left as they are.

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

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

Object.assign(prototype, {
  async importKey(this: SubtleCrypto, ...given: Parameters<SubtleCrypto['importKey']>) {
    const key = await importKey.apply(this, given)
    const [format, bytes] = given
    if (format === 'raw') material.set(key, Uint8Array.from(bytesOf(bytes as Bytes)))
    return key
  },

  async sign(this: SubtleCrypto, algorithm: AlgorithmIdentifier, key: CryptoKey, data: Bytes) {
    const bytes = material.get(key)
    if (bytes === undefined || key.algorithm.name !== 'HMAC' || !key.usages.includes('sign'))
      return sign.call(this, algorithm, key, data)
    const { hash } = key.algorithm as HmacKeyAlgorithm
    return bufferOf(createHmac(hashName(hash), bytes).update(bytesOf(data)).digest())
  },

  async digest(this: SubtleCrypto, algorithm: AlgorithmIdentifier, data: Bytes) {
    return hashName(algorithm).startsWith('sha')
      ? bufferOf(createHash(hashName(algorithm)).update(bytesOf(data)).digest())
      : digest.call(this, algorithm, data)
  },

  async deriveBits(this: SubtleCrypto, algorithm: HkdfParams, key: CryptoKey, length: number) {
    const bytes = material.get(key)
    if (bytes === undefined || key.algorithm.name !== 'HKDF' || !key.usages.includes('deriveBits'))
      return deriveBits.call(this, algorithm, key, length)
    const { hash, salt, info } = algorithm
    const name = hashName(hash as AlgorithmIdentifier)
    return hkdfSync(name, bytes, bytesOf(salt as Bytes), bytesOf(info as Bytes), length / 8)
  },

  async deriveKey(
    this: SubtleCrypto,
    algorithm: HkdfParams,
    key: CryptoKey,
    derived: HmacImportParams & { readonly length?: number },
    isExtractable: boolean,
    usages: readonly KeyUsage[],
  ) {
    const bits = await this.deriveBits(algorithm, key, derived.length ?? 512)
    return this.importKey('raw', bits, derived, isExtractable, usages)
  },
})
