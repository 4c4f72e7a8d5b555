import type { Statement } from '../sqlite/statement/executor.ts'
import type { Answer, ObjectDatabase } from './object-database.ts'
import type { PackedResult } from './protocol.ts'
import { charactersOf, MESSAGE_CHARACTERS_MAX } from './protocol.ts'

/** Runs one statement, as `ObjectDatabase` does. */
export type Run = (statement: Statement) => Answer

/**
 * Runs statements one after another. Called in a transaction when they may write. Throws when one fails, or when their
 * answers are together too large to be sent.
 */
export function runBatch(
  database: ObjectDatabase,
  run: Run,
  statements: readonly Statement[],
  onlyReads: boolean,
): readonly PackedResult[] {
  const totalChanges = () => Number(database.run('select total_changes()').rows[0]?.[0])
  let before = onlyReads ? 0 : totalChanges()
  let characters = 0
  return statements.map((statement) => {
    const answer = run(statement)
    for (const row of answer.rows) characters += charactersOf(row)
    if (characters > MESSAGE_CHARACTERS_MAX)
      throw new RangeError(`A batch answers more than ${MESSAGE_CHARACTERS_MAX} characters`)
    const after = onlyReads ? 0 : totalChanges()
    const changes = after - before
    before = after
    return { ...answer, changes }
  })
}

/** What SQLite says when a statement names an index that does not exist. */
const NO_INDEX = /^no such index\b/i

const INDEX_NAME = /\s+indexed\s+by\s+(?:"(?:[^"]|"")*"|\w+)/gi

/** Most rewritten statements that are kept. About twenty statements name an index. */
const REWRITTEN_MAX = 200

/**
 * Runs statements as they are, but one that names an index which is not there without that name, while `isForgiving` says
 * so: an object that is not yet up to date builds its indexes last, and one that a later version has used may have others.
 */
export function forgivingRun(database: ObjectDatabase, isForgiving: () => boolean): Run {
  const rewritten = new Map<string, string>()
  return ({ sql, parameters }) => {
    const known = isForgiving() ? rewritten.get(sql) : undefined
    if (known !== undefined) return database.run(known, parameters)
    try {
      return database.run(sql, parameters)
    } catch (error) {
      if (!isForgiving() || !(error instanceof Error) || !NO_INDEX.test(error.message)) throw error
      const free = sql.replaceAll(INDEX_NAME, '')
      if (rewritten.size >= REWRITTEN_MAX) rewritten.clear()
      rewritten.set(sql, free)
      return database.run(free, parameters)
    }
  }
}
