const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

/**
 * Compares text by its UTF-8 bytes, as SQLite's BINARY collation does. JavaScript's own order differs: it puts a
 * character beyond U+FFFF, made of surrogates, before U+E000–U+FFFF.
 * @returns negative, zero or positive
 */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/**
 * The rank of a code unit in byte order: surrogates rank last, because the characters that they encode come after all
 * others.
 */
function rank(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800
}

/** Compares texts for sorting in ascending order, with null last. */
export function nullsLast(left: string | null, right: string | null): number {
  if (left === right) return 0
  if (left === null || right === null) return left === null ? 1 : -1
  return left < right ? -1 : 1
}
