import type { ImportProblem, RepeatedKey, StagedKeys } from '../../../ports/import-sessions.ts'
import type { ImportKind, ImportRecord } from '../kinds/kind.ts'

/** The key of a line, with the line's number. */
export interface KeyedLine {
  readonly key: string
  readonly line: number
}

/** The key of a line; null when the line lacks a part of it, which is reported as a problem of the line. */
export function keyedLine(line: number, record: ImportRecord, { key }: ImportKind): KeyedLine | null {
  const parts = key.map((field) => record[field])
  const [only] = parts
  if (!parts.every((part) => typeof part === 'string' && part !== '')) return null
  return { line, key: parts.length === 1 ? String(only) : JSON.stringify(parts) }
}

/** Distributes the keys of a part over the buckets. */
export function inBuckets(lines: readonly KeyedLine[], buckets: number): readonly StagedKeys[] {
  const staged = new Map<number, { readonly keys: string[]; readonly lines: number[] }>()
  for (const { key, line } of lines) {
    const bucket = bucketOf(key, buckets)
    const known = staged.get(bucket) ?? { keys: [], lines: [] }
    known.keys.push(key)
    known.lines.push(line)
    staged.set(bucket, known)
  }
  return [...staged].map(([bucket, held]) => ({ bucket, ...held }))
}

/** The bucket of a key: an FNV-1a hash over its UTF-16 units, modulo the number of buckets. */
function bucketOf(key: string, buckets: number): number {
  if (buckets === 1) return 0
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % buckets
}

/** The problems of lines that repeat the key of an earlier line. */
export function repetitionProblems(
  repeated: readonly RepeatedKey[],
  { keyField }: ImportKind,
): readonly ImportProblem[] {
  return repeated.flatMap(({ lines: [first, ...others] }) =>
    others.map((line) => ({ line, field: keyField, message: `is the same as in line ${first}` })),
  )
}
