/** `part / whole` rounded to the nearest whole number, halves up. Exact: a quotient in floating point is not. */
export function roundedQuotient(part: number, whole: number): number {
  const doubled = 2 * part + whole
  const remainder = doubled % (2 * whole)
  return (doubled - (remainder < 0 ? remainder + 2 * whole : remainder)) / (2 * whole)
}

/** `part / whole` rounded to two decimals, halves up; null when there is no whole. Both are whole numbers. */
export function quotient(part: number, whole: number): number | null {
  return whole === 0 ? null : roundedQuotient(part * 100, whole) / 100
}

/** What percentage of `whole` the `part` is, rounded to two decimals, halves up; null when there is no whole. */
export function percentage(part: number, whole: number): number | null {
  return quotient(part * 100, whole)
}

/** The sum of a figure over items. */
export function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0)
}

/** Text ascending, null last: for sorting. */
export function nullsLast(left: string | null, right: string | null): number {
  if (left === right) return 0
  if (left === null || right === null) return left === null ? 1 : -1
  return left < right ? -1 : 1
}

/** Items by a key of theirs. */
export function groupsOf<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
