/** The positions of the values that stand in a list before, too. Of a list of any length, each value is looked up once. */
export function repeatsIn(values: readonly unknown[]): readonly number[] {
  const seen = new Set<unknown>()
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index]
    seen.add(value)
    return []
  })
}
