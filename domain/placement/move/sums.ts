import type { MovedRow } from '../../../ports/placement/move.ts'

/**
 * The number of rows, and the sum of their hashes modulo 2^64 in hexadecimal. The order of the rows does not matter.
 */
export interface TableSum {
  readonly rows: number
  readonly hash: string
}

export const EMPTY_SUM: TableSum = { rows: 0, hash: '0' }

const MODULUS = 1n << 64n

/** The sum after rows were added and removed. */
export function changedSum(
  sum: TableSum,
  added: readonly MovedRow[],
  removed: readonly MovedRow[],
): TableSum {
  let hash = BigInt(`0x${sum.hash}`)
  for (const row of added) hash += rowHash(row)
  for (const row of removed) hash -= rowHash(row)
  return {
    rows: sum.rows + added.length - removed.length,
    hash: (((hash % MODULUS) + MODULUS) % MODULUS).toString(16),
  }
}

/**
 * A 64-bit hash of a row's values, from two mixes that multiply by different odd numbers. It is meant to find
 * accidental differences. A tenant that constructs two rows with the same hash harms only itself, and rows are also
 * compared value by value.
 */
function rowHash(row: MovedRow): bigint {
  const text = JSON.stringify(row)
  let high = 0xdeadbeef ^ text.length
  let low = 0x41c6ce57 ^ text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}
