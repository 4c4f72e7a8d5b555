import type { Statement } from './executor.ts'

/** SQL that can only read, when it does not begin with the expressions that it uses. */
const SELECT = /^\s*select\b/i
const WITH = /^\s*with\b/i

/** Without one of these words, wherever it stands, no SQL writes. */
const WRITING = /\b(?:insert|update|delete|replace)\b/i

/** Whether each of the statements is one that can only read. One of which that is not sure is taken for a write. */
export function readsAlone(statements: readonly Statement[]): boolean {
  return statements.every(({ sql }) => SELECT.test(sql) || (WITH.test(sql) && !WRITING.test(sql)))
}
