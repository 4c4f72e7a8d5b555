import { cutText } from '../text/typed-text.ts'

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

/** The maximum number of problems in one reply. More would not help the sender of the request. */
export const PROBLEMS_MAX = 50

/** The maximum number of characters (UTF-16 units) of a caller's text that a reply repeats. */
export const ECHO_MAX_LENGTH = 60

/**
 * A caller's text in the form in which a reply may repeat it: whole when it is short, else its beginning and an
 * ellipsis.
 */
export function echoed(text: string): string {
  return text.length <= ECHO_MAX_LENGTH ? text : `${cutText(text, ECHO_MAX_LENGTH)}…`
}

/** How a message ends about a value that only a setting makes wrong, so that whoever reads it looks there too. */
export const OF_SETTING = 'is a setting of the organization'
