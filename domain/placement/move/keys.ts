import type {
  MovedRow,
  MovedTable,
  MoveKey,
  MovePosition,
  StoredValue,
} from '../../../ports/placement/move.ts'

/** The key of a row, which is the beginning of its values. */
export function keyOf(table: MovedTable, row: MovedRow): MoveKey {
  return row.slice(0, table.key.length)
}

/** A text that differs for any two keys. */
export function keyText(key: MoveKey): string {
  return JSON.stringify(key)
}

/** Rows by the texts of their keys. */
export function rowsByKey(table: MovedTable, rows: readonly MovedRow[]): ReadonlyMap<string, MovedRow> {
  return new Map(rows.map((row) => [keyText(keyOf(table, row)), row]))
}

/** Whether two rows have the same values. */
export function isSameRow(left: MovedRow | undefined, right: MovedRow | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return left.length === right.length && left.every((value, index) => value === right[index])
}

/** Whether a row comes after a position, in the order in which a table is read. */
export function isBehind(key: MoveKey, position: MovePosition | null): boolean {
  if (position === null) return true
  const order = compareValues(key[0] ?? null, position.organizationId)
  if (order !== 0) return order > 0
  return position.after === null || compareKeys(key, position.after) > 0
}

function compareKeys(left: MoveKey, right: MoveKey): number {
  for (const [index, value] of left.entries()) {
    const order = compareValues(value, right[index] ?? null)
    if (order !== 0) return order
  }
  return 0
}

/** Compares as SQLite does: null first, then numbers, then text. */
function compareValues(left: StoredValue, right: StoredValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right)
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return rank(left) - rank(right)
}

function rank(value: StoredValue): number {
  if (value === null) return 0
  return typeof value === 'number' ? 1 : 2
}

/**
 * Compares texts by their UTF-8 bytes, which is the order of their code points. The order of UTF-16 units, of which a
 * JavaScript text consists, differs in one way: a surrogate, which is part of a higher code point, comes before the
 * units from U+E000 on.
 */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (a !== b) return codePointOrder(a) - codePointOrder(b)
  }
  return left.length - right.length
}

function codePointOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
