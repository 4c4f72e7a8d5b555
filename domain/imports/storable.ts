import type { ImportIssue } from '../record/resource.ts'

/**
 * Finds values that no database could store unchanged: a lone surrogate, which has no UTF-8 form, and a number that is
 * too large for a double. Both would silently be stored as something else.
 */
export function storabilityIssues(record: Readonly<Record<string, unknown>>): readonly ImportIssue[] {
  const issues: ImportIssue[] = []
  for (const field of Object.keys(record)) {
    const message = field.isWellFormed() ? problemOf(record[field]) : 'has a name with half a character in it'
    if (message !== null) issues.push({ field: field.toWellFormed(), message })
  }
  return issues
}

function problemOf(value: unknown): string | null {
  if (typeof value === 'string')
    return value.isWellFormed() ? null : 'holds half a character (a lone surrogate)'
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number that is too large'
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemOf(key) ?? problemOf(inner)
    if (problem !== null) return problem
  }
  return null
}
