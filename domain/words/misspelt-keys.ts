import { distance } from 'fastest-levenshtein'
import { isJsonObject } from '../text/json.ts'
import type { Problem } from './judge.ts'
import { knownKeys } from './known-keys.ts'

/** A misspelt key differs in at most so many letters from one that is known; from a short one in a single letter. */
const DIFFERING_MAX = 2
const SHORT_LENGTH = 3

/** How many items of a list are looked at. A longer list is refused, or its items are no objects. */
const ITEMS_MAX = 50

/**
 * The keys of a value, nested ones too, that its schema does not know, and that are misspellings of keys which it knows.
 * Whether letters are large or small makes no difference.
 */
export function misspeltKeys(
  schema: unknown,
  value: unknown,
  path: readonly string[] = [],
): readonly Problem[] {
  if (Array.isArray(value))
    return (
      value
        .slice(0, ITEMS_MAX)
        // No schema has lists in lists, and a body may have thousands of them, one within the other.
        .flatMap((item, index) =>
          Array.isArray(item) ? [] : misspeltKeys(schema, item, [...path, String(index)]),
        )
    )
  if (!isJsonObject(value)) return []
  const known = knownKeys(schema, path)
  return Object.entries(value).flatMap(([key, inner]) => {
    if (known.includes(key)) return misspeltKeys(schema, inner, [...path, key])
    const meant = meantBy(key, known)
    return meant === null
      ? []
      : [{ path: [...path, key].join('.'), message: `is not a known key. Did you mean ${meant}?` }]
  })
}

/** The known key that a misspelt one means: the nearest. Null: none is near. */
function meantBy(key: string, known: readonly string[]): string | null {
  const near = known
    .filter((word) => Math.abs(word.length - key.length) <= DIFFERING_MAX)
    .map((word) => ({ word, differing: distance(word.toLowerCase(), key.toLowerCase()) }))
    .filter(({ word, differing }) => differing <= (word.length <= SHORT_LENGTH ? 1 : DIFFERING_MAX))
    .sort((left, right) => left.differing - right.differing)
  return near[0]?.word ?? null
}
