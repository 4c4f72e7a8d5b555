import type { ImportIssue } from '../record/resource.ts'
import { isStorableText } from '../text/typed-text.ts'

/**
 * How deep lists and objects may be nested in a value. SQLite reads JSON of at most 1,000 levels, and every program that
 * walks through a value takes up stack for each.
 */
export const LEVELS_MAX = 500

/**
 * Finds values that no database could store unchanged, wherever in the record they are: a text with a lone surrogate or
 * a NUL, and a number that is too large for a double, would silently be stored as something else. Values that are nested
 * too deeply could be stored, and not be read again. Of each member of the record at most one is named, by the keys that
 * lead to it, joined by dots as those of a schema's problems are.
 */
export function storabilityIssues(record: Readonly<Record<string, unknown>>): readonly ImportIssue[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const found = problemOf(name, value, LEVELS_MAX)
    return found === null ? [] : [{ field: found.path.join('.').toWellFormed(), message: found.message }]
  })
}

/** What is wrong with a member of an object or list, or with something in it, and the keys that lead there. */
interface Found {
  readonly path: readonly string[]
  readonly message: string
}

function problemOf(name: string, value: unknown, levels: number): Found | null {
  const found = (message: string): Found => ({ path: [name], message })
  if (!isStorableText(name)) return found(`has a name that ${unstorable(name)}`)
  if (typeof value === 'string') return isStorableText(value) ? null : found(unstorable(value))
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : found('holds a number that is too large')
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return found(`is in lists or objects of more than ${LEVELS_MAX} levels`)
  for (const [key, inner] of Object.entries(value)) {
    const within = problemOf(key, inner, levels - 1)
    if (within !== null) return { path: [name, ...within.path], message: within.message }
  }
  return null
}

function unstorable(text: string): string {
  return text.isWellFormed()
    ? 'holds the character NUL (U+0000), which cannot be stored. Remove it'
    : 'holds half a character (a lone surrogate), which cannot be stored. Remove it'
}

/**
 * What keeps a value of an archive from being stored and read again, as the rest of a sentence; null: nothing. Earlier
 * versions of the service stored texts with a NUL, and their archives must be restored.
 */
export function archivedValueProblem(value: unknown, levels = LEVELS_MAX): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'holds half a character'
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return `is in lists or objects of more than ${LEVELS_MAX} levels`
  for (const [key, inner] of Object.entries(value)) {
    const problem = archivedValueProblem(key, levels) ?? archivedValueProblem(inner, levels - 1)
    if (problem !== null) return problem
  }
  return null
}
