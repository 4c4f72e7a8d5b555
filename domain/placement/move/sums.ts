import type { MovedRow } from '../../../ports/move.ts'

/** How many rows there are, and the sum of their hashes modulo 2^64 in hexadecimal: the order of the rows plays no part. */
export interface TableSum {
  readonly rows: number
  readonly hash: string
}

export const EMPTY_SUM: TableSum = { rows: 0, hash: '0' }

const MODULUS = 1n << 64n

/** The sum with rows added and rows taken out. */
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
 * 64 bits of a row's values, by two mixes that multiply by different odd numbers. It finds accidents; a tenant who makes
 * two rows with the same hash deceives nobody else, and rows themselves are compared value by value.
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
