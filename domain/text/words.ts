import { closest, distance } from 'fastest-levenshtein'

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

/** Fewer letters tell too little to be taken in another order, or as a beginning. */
const TELLING_LENGTH_MIN = 3

/**
 * The known word that a misspelt one probably means: at most a third of its characters differ, its letters are in
 * another order, or it is the beginning of that word alone. Null: none is near. Case does not count.
 */
export function nearestWord(given: string, known: readonly string[]): string | null {
  if (known.length === 0 || given.length > 100) return null
  const lower = given.toLowerCase()
  const lowered = known.map((word) => word.toLowerCase())
  const nearest = closest(lower, lowered)
  const isNear = distance(lower, nearest) <= Math.max(1, Math.floor(given.length / 3))
  if (isNear) return known[lowered.indexOf(nearest)] ?? null
  if (given.length < TELLING_LENGTH_MIN) return null
  const found = reordered(lower, lowered) ?? completed(lower, lowered)
  return found === undefined ? null : (known[lowered.indexOf(found)] ?? null)
}

/** The word with the same letters, in another order. */
function reordered(given: string, known: readonly string[]): string | undefined {
  const lettersOf = (word: string) => Array.from(word).sort().join('')
  const letters = lettersOf(given)
  return known.find((word) => word.length === given.length && lettersOf(word) === letters)
}

/** The only word that begins so. */
function completed(given: string, known: readonly string[]): string | undefined {
  const [word, other] = known.filter((one) => one.startsWith(given))
  return other === undefined ? word : undefined
}

/** A sentence that suggests the nearest word, preceded by a space; empty when none is near. */
export function suggestion(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known)
  return nearest === null ? '' : ` Did you mean ${nearest}?`
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
