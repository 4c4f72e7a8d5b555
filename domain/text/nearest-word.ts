import { closest, distance } from 'fastest-levenshtein'

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
