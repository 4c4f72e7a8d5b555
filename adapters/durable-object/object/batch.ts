import type { BoundValue, Statement } from '../../sqlite/statement/executor.ts'
import { charactersOf, MESSAGE_CHARACTERS_MAX, type PackedResult } from '../protocol.ts'

/**
 * The result of one statement, without the number of changes, which SQLite counts only for the connection as a whole.
 */
type Answer = Omit<PackedResult, 'changes'>

/**
 * The database inside an object, as the platform provides it: calls are synchronous, so no other call runs in between.
 * Node's SQLite can replace it, so that everything built on it can be tested without the platform.
 */
export interface ObjectDatabase {
  /** Runs one statement. Throws an error with SQLite's message. */
  run(sql: string, parameters?: readonly BoundValue[]): Answer
  /** Runs a text of several statements without parameters. Throws an error with SQLite's message. */
  script(sql: string): void
  /** Runs `work` in a transaction: everything it does happens, or nothing when it throws. */
  transaction<Result>(work: () => Result): Result
  sizeBytes(): number
  /** Removes everything that is stored, and the alarm. */
  clear(): Promise<void>
}

/** Runs one statement, as `ObjectDatabase` does. */
export type Run = (statement: Statement) => Answer

/**
 * Runs statements one after another. Statements that may write must be run inside a transaction. Throws when one fails,
 * or when the results are together too large for one message.
 */
export function runBatch(
  database: ObjectDatabase,
  run: Run,
  statements: readonly Statement[],
  onlyReads: boolean,
): readonly PackedResult[] {
  const totalChanges = () => Number(database.run('select total_changes()').rows[0]?.[0])
  // The count of changes that SQLite has made so far on this connection; null: it must be asked for again.
  let known: number | null = null
  let characters = 0
  return statements.map((statement) => {
    const isCounted = !onlyReads && statement.isUncounted !== true
    const before = isCounted ? (known ?? totalChanges()) : 0
    const answer = run(statement)
    for (const row of answer.rows) characters += charactersOf(row)
    if (characters > MESSAGE_CHARACTERS_MAX)
      throw new RangeError(`A batch answers more than ${MESSAGE_CHARACTERS_MAX} characters`)
    known = isCounted ? totalChanges() : null
    return { ...answer, changes: (known ?? before) - before }
  })
}

/** Matches SQLite's message for a statement that names an index which does not exist. */
const NO_INDEX = /^no such index\b/i

const INDEX_NAME = /\s+indexed\s+by\s+(?:"(?:[^"]|"")*"|\w+)/gi

/** The maximum number of rewritten statements that are kept. About twenty statements name an index. */
const REWRITTEN_MAX = 200

/**
 * Runs statements as they are. One that names a missing index (`INDEXED BY`) is run without that name: an object whose
 * schema is not yet up to date builds its indexes last, one that a later version of the service has used may have other
 * indexes, and a Worker of an earlier version names those that are gone.
 * @param isExact whether the schema is this version's, so that no index will come back for a statement
 */
export function forgivingRun(database: ObjectDatabase, isExact: () => boolean): Run {
  const rewritten = new Map<string, string>()
  return ({ sql, parameters }) => {
    const known = isExact() ? undefined : rewritten.get(sql)
    if (known !== undefined) return database.run(known, parameters)
    try {
      return database.run(sql, parameters)
    } catch (error) {
      if (!(error instanceof Error) || !NO_INDEX.test(error.message)) throw error
      const free = sql.replaceAll(INDEX_NAME, '')
      if (rewritten.size >= REWRITTEN_MAX) rewritten.clear()
      rewritten.set(sql, free)
      return database.run(free, parameters)
    }
  }
}
