/** About as many bytes of a file as have their keys in one bucket, which is looked through in one statement. */
const BUCKET_BYTES = 4 * 1024 * 1024
const BUCKETS_MAX = 256

/**
 * The number of buckets for the keys of a file. All keys of a file are compared with each other bucket by bucket, so
 * that neither a statement nor anybody's memory ever holds more than a bucket of them.
 */
export function bucketCount(totalBytes: number): number {
  return Math.min(BUCKETS_MAX, Math.max(1, Math.ceil(totalBytes / BUCKET_BYTES)))
}
