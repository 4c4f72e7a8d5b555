import type { Statement } from './executor.ts'

/**
 * Matches SQL that only reads, unless it contains a word of `WRITING`. It does not match SQL that begins with `with`.
 */
const SELECT = /^\s*select\b/i
const WITH = /^\s*with\b/i

/** SQL without any of these words cannot write. */
const WRITING = /\b(?:insert|update|delete|replace)\b/i

/** Whether each of the statements certainly only reads. A statement in doubt counts as a write. */
export function readsAlone(statements: readonly Statement[]): boolean {
  return statements.every(({ sql }) => SELECT.test(sql) || (WITH.test(sql) && !WRITING.test(sql)))
}
