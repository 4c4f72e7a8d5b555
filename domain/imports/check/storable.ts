import type { ImportIssue } from '../../record/resource.ts'

/**
 * How deep lists and objects may be nested in a value. SQLite reads JSON of at most 1,000 levels, and every program that
 * walks through a value takes up stack for each.
 */
export const LEVELS_MAX = 500

/**
 * Finds values that no database could store unchanged: a lone surrogate, which has no UTF-8 form, and a number that is
 * too large for a double, would silently be stored as something else. Values that are nested too deeply could be stored,
 * and not be read again.
 */
export function storabilityIssues(record: Readonly<Record<string, unknown>>): readonly ImportIssue[] {
  const issues: ImportIssue[] = []
  for (const field of Object.keys(record)) {
    const message = field.isWellFormed()
      ? problemOf(record[field], LEVELS_MAX)
      : 'has a name with half a character in it'
    if (message !== null) issues.push({ field: field.toWellFormed(), message })
  }
  return issues
}

function problemOf(value: unknown, levels: number): string | null {
  if (typeof value === 'string')
    return value.isWellFormed() ? null : 'holds half a character (a lone surrogate)'
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number that is too large'
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return `holds lists or objects of more than ${LEVELS_MAX} levels`
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemOf(key, levels) ?? problemOf(inner, levels - 1)
    if (problem !== null) return problem
  }
  return null
}
