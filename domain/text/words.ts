/** What is spelt in capitals, wherever it stands. */
const ACRONYMS = /\b(?:mms|pos|sms|url|utm)\b/g

/** A name of the code as people read it: `short_text` is “Short text”, `smsConsent` is “SMS consent”. */
export function titleOf(name: string): string {
  const words = name
    .replaceAll(/[_\s-]+|(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()
    .replaceAll(ACRONYMS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

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
