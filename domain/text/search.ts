/** A text as it is searched: ASCII letters small, all else as it is. SQLite's `lower` does the same. */
export function folded(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * Whether a value of JSON has a text or a number that contains what is sought, at any depth. Names of members and truth
 * values are none.
 * @param sought as `folded` makes it
 */
export function mentions(value: unknown, sought: string): boolean {
  if (typeof value === 'string') return folded(value).includes(sought)
  if (typeof value === 'number') return String(value).includes(sought)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((part) => mentions(part, sought))
}
