/**
 * How many databases, or receivers of work, are asked at once when a list of them is processed. A Worker has six
 * connections, and a task may need a second one.
 */
export const CONNECTIONS_WIDTH = 4

/** How long each of them may take, in ms. */
export const ANSWER_MS = 10_000

/** The approximate number of bytes of a file whose keys go into one bucket. A bucket is searched by one statement. */
const BUCKET_BYTES = 4 * 1024 * 1024
const BUCKETS_MAX = 256

/**
 * The number of buckets for the keys of a file. To find repeated keys, each bucket is searched by itself, so that
 * neither a statement nor a process ever holds more than one bucket of keys.
 */
export function bucketCount(totalBytes: number): number {
  return Math.min(BUCKETS_MAX, Math.max(1, Math.ceil(totalBytes / BUCKET_BYTES)))
}

/** The bucket of a key: an FNV-1a hash over its UTF-16 units, modulo the number of buckets. */
export function bucketOf(key: string, buckets: number): number {
  if (buckets === 1) return 0
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % buckets
}

/** How many attributes a contact has at most, and how long their names and values may be, in characters. */
export const attributeBounds = { most: 50, nameLength: 64, valueLength: 1_000 } as const
