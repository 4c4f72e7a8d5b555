import type { ImportIssue } from '../../record/resource.ts'

/** A line that cannot be read as a record. `line` counts from 1. */
export interface UnreadableEntry {
  readonly line: number
  readonly issue: ImportIssue
}

/** One record of an import file, or what makes it unreadable. */
export type Entry =
  { readonly line: number; readonly record: Readonly<Record<string, unknown>> } | UnreadableEntry

/** The name that a problem has in place of a field when it concerns the line as a whole. */
const WHOLE_LINE = '(line)'

/** An unreadable line. */
export function unreadable(line: number, message: string): UnreadableEntry {
  return { line, issue: { field: WHOLE_LINE, message } }
}
