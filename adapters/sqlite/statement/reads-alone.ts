import type { Statement } from './executor.ts'

/** SQL that can only read. Anything else, such as `with … insert`, is taken for a write. */
const READS_ALONE = /^\s*select\b/i

/** Whether each of the statements is one that can only read. */
export function readsAlone(statements: readonly Statement[]): boolean {
  return statements.every(({ sql }) => READS_ALONE.test(sql))
}
