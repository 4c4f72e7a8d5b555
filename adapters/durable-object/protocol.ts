import type { KeyBudget } from '../../ports/organizations.ts'
import {
  PARAMETERS_MAX,
  type Statement,
  type ResultRow,
  type StatementResult,
} from '../sqlite/statement/executor.ts'
import type { Migration } from '../sqlite/migration.ts'

/**
 * What a batch does. `read`: it only selects. `write`: it may change rows, so it is refused while a move pauses writes.
 * `move`: it belongs to a move itself, and runs in every state in which the object has a database.
 */
export type Mode = 'read' | 'write' | 'move'

/** Optional parts of a batch. An object of an older version does not know them, and ignores them. */
export interface BatchTerms {
  /** The name of the last migration that the statements may rely on. Left out: the object makes no check. */
  readonly migration?: string
  /**
   * Whether the directory has named this object to the caller since the caller's request began, and not only at some
   * time before. A sealed object answers nobody else. Left out: it has not.
   */
  readonly isConfirmed?: boolean
  /** The key whose request is to be counted, as `CountedBatch` says. Left out: none. */
  readonly countedKeyId?: string
}

/** The result of one statement. The column names are sent once, and each row is an array of values. */
export interface PackedResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** How many rows were changed, including those that triggers changed, as in `StatementResult`. */
  readonly changes: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

/**
 * The outcome of a batch. In every case but `results`, nothing was written. Refusals are values and not exceptions, so
 * that an exception always means that the object failed or was not reached.
 */
export type BatchAnswer =
  | {
      readonly results: readonly PackedResult[]
      /** What is left of the key's rate, when the request was counted. */
      readonly budget?: KeyBudget
    }
  /** The object holds no family: it was never opened, or its family has moved away. */
  | { readonly elsewhere: true }
  /** A move pauses writes. */
  | { readonly paused: true }
  /** The object lacks tables of the migration that the terms name: `advance` creates them. */
  | { readonly behind: true }
  /** A statement failed: SQLite's own message. */
  | { readonly failed: string }

/**
 * The methods of an object that can be called over RPC. A method that changes the state returns whether the object is
 * in the state that the method leads to, and may be repeated. `domain/placement/move/place-states.ts` has the tables of
 * states and methods.
 */
export interface FamilyObject {
  /** Runs statements as one unit: in one transaction when they may write. */
  batch(mode: Mode, statements: readonly Statement[], terms?: BatchTerms): Promise<BatchAnswer>
  /**
   * Creates the tables of a version of the service that is newer than the object's own, for a bounded time. The object
   * does not keep the migrations: it builds the rest of their indexes once it runs that version itself. False: a step
   * failed.
   */
  advance(migrations: readonly Migration[]): Promise<boolean>
  /** Gives an empty object the tables and the family, and opens it for reads and writes. */
  create(familyId: string): Promise<boolean>
  /** Gives an empty object the tables, so that a move can fill it. */
  begin(familyId: string): Promise<boolean>
  /**
   * Prepares an object that a move has filled for the switch of the attempt with this token, if the record of the filling
   * says that it was ended for that attempt. A call of an earlier attempt that arrives late does nothing.
   */
  finish(token: string): Promise<boolean>
  /** Lets a move go on filling the object, after the attempt with this token was given back. */
  reopen(token: string): Promise<boolean>
  /** Allows reads and writes, after the attempt with this token has switched. */
  open(token: string): Promise<boolean>
  /** Pauses writes until an instant, in ms since 1970. Replaces a pause that is still in force. */
  pause(token: string, untilMs: number): Promise<boolean>
  /** Ends the pause that `pause` or `seal` made with this token. */
  resume(token: string): Promise<boolean>
  /**
   * Turns the pause of this token into one without an end, and refuses reads that are not confirmed. False: that pause
   * is over, and a write may have happened.
   */
  seal(token: string): Promise<boolean>
  /** Refuses all reads and writes for good, because the family has moved elsewhere. */
  close(): Promise<boolean>
  /** Removes everything that is stored, of an object that a move fills or has closed. */
  empty(): Promise<boolean>
  /**
   * Removes everything that is stored, in whatever state the object is. False: an organization lives here, or is being
   * restored or deleted.
   */
  remove(): Promise<boolean>
  /** How large the database is, in bytes. */
  size(): Promise<number>
}

/**
 * The maximum number of characters of text in one message. The platform's limit is 32 MiB, and text with characters
 * beyond Latin-1 takes two bytes for each character; one MiB is left for everything else.
 */
export const MESSAGE_CHARACTERS_MAX = 31 * 2 ** 19

/** How many characters values take in a message. A number counts as a short text. */
export function charactersOf(values: readonly unknown[]): number {
  let characters = 0
  for (const value of values) characters += typeof value === 'string' ? value.length : 4
  return characters
}

/** Throws before anything is sent when statements exceed what one call of an object accepts. */
export function checkLimits(statements: readonly Statement[]): void {
  let characters = 0
  for (const { sql, parameters } of statements) {
    if (parameters.length > PARAMETERS_MAX)
      throw new RangeError(`A statement has ${parameters.length} parameters; it may have ${PARAMETERS_MAX}`)
    characters += sql.length + charactersOf(parameters)
  }
  if (characters > MESSAGE_CHARACTERS_MAX)
    throw new RangeError(`A batch has ${characters} characters; it may have ${MESSAGE_CHARACTERS_MAX}`)
}

/** A result with its rows as objects, by column name, which the storage expects. */
export function unpacked({ columns, rows, changes, rowsRead, rowsWritten }: PackedResult): StatementResult {
  return { rows: rows.map((row) => rowOf(columns, row)), changes, rowsRead, rowsWritten }
}

function rowOf(columns: readonly string[], values: readonly unknown[]): ResultRow {
  const row: ResultRow = {}
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index]
  return row
}
