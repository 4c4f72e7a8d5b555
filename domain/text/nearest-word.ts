import { closest, distance } from 'fastest-levenshtein'

/**
 * The known word that a misspelt one probably means: at most a third of its characters differ. Null: none is near.
 * Case does not count.
 */
export function nearestWord(given: string, known: readonly string[]): string | null {
  if (known.length === 0 || given.length > 100) return null
  const lower = given.toLowerCase()
  const lowered = known.map((word) => word.toLowerCase())
  const nearest = closest(lower, lowered)
  const isNear = distance(lower, nearest) <= Math.max(1, Math.floor(given.length / 3))
  return isNear ? (known[lowered.indexOf(nearest)] ?? null) : null
}

/** A sentence that suggests the nearest word, preceded by a space; empty when none is near. */
export function suggestion(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known)
  return nearest === null ? '' : ` Did you mean ${nearest}?`
}
