/**
 * `part / whole` rounded to the nearest whole number, halves up. The result is exact, unlike that of a floating-point
 * division.
 */
export function roundedQuotient(part: number, whole: number): number {
  const doubled = 2 * part + whole
  const remainder = doubled % (2 * whole)
  return (doubled - (remainder < 0 ? remainder + 2 * whole : remainder)) / (2 * whole)
}

/** `part / whole` rounded to two decimals, halves up; null when there is no whole. Both are whole numbers. */
export function quotient(part: number, whole: number): number | null {
  return whole === 0 ? null : roundedQuotient(part * 100, whole) / 100
}

/** `part` as a percentage of `whole`, rounded to two decimals, halves up; null when there is no whole. */
export function percentage(part: number, whole: number): number | null {
  return quotient(part * 100, whole)
}

/** The sum of a figure over items. */
export function totalOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0)
}
