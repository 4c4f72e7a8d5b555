import type { Statement } from '../sqlite/statement/executor.ts'

/**
 * What a batch is for. `read`: it only selects. `write`: it may change rows, so it waits while a move pauses writes.
 * `move`: it belongs to a move itself, and runs in every state of an object that has a database.
 */
export type Mode = 'read' | 'write' | 'move'

/** What one statement answered: each row as the values of the columns, whose names are there once. */
export interface PackedResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** As `StatementResult` says: the writes of triggers included. */
  readonly changes: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

/**
 * What became of a batch. All but `results` mean that nothing was read or written. They are data and no exceptions, so
 * that an exception always means that the object itself failed, or was not reached.
 */
export type BatchAnswer =
  | { readonly results: readonly PackedResult[] }
  /** The object holds no family: it was never opened, or its family has moved away. */
  | { readonly elsewhere: true }
  /** A move pauses writes. */
  | { readonly paused: true }
  /** A statement failed: SQLite's own message. */
  | { readonly failed: string }

/**
 * The methods of an object that can be called over RPC. Those that change its state answer whether it is in the state
 * that they lead to; they may be repeated. `states.ts` has the table of them.
 */
export interface FamilyObject {
  /** Runs statements in one transaction. */
  batch(mode: Mode, statements: readonly Statement[]): Promise<BatchAnswer>
  /** Gives an empty object the tables and the family, and opens it. */
  create(familyId: string): Promise<boolean>
  /** Gives an empty object the tables, to be filled by a move. */
  beginFilling(familyId: string): Promise<boolean>
  /** Opens an object that was filled. */
  openFilled(): Promise<boolean>
  /** Pauses writes until an instant, in ms since 1970; in place of a pause that lasts. */
  pause(token: string, untilMs: number): Promise<boolean>
  /** Ends a pause. */
  resume(token: string): Promise<boolean>
  /** Pauses writes without end. False: the pause of this token is over, and a write may have happened. */
  seal(token: string): Promise<boolean>
  /** Lets writes happen again. */
  unseal(token: string): Promise<boolean>
  /** Reads and writes end here for good: the family is elsewhere. */
  close(): Promise<boolean>
  /** Removes everything that is stored. */
  empty(): Promise<boolean>
  /** How large the database is, in bytes. */
  size(): Promise<number>
}

/** The platform's limit on the parameters of one statement. */
const PARAMETERS_MAX = 100

/**
 * Most characters of text in one message. The platform's limit is 32 MiB, and a text with characters beyond Latin-1 takes
 * two bytes for each; a mebibyte is left for everything else.
 */
export const MESSAGE_CHARACTERS_MAX = 31 * 2 ** 19

/** The characters of values that travel in a message. A number counts as a short text. */
export function charactersOf(values: readonly unknown[]): number {
  let characters = 0
  for (const value of values) characters += typeof value === 'string' ? value.length : 4
  return characters
}

/** Throws when statements are more than one call of an object takes, so that nothing of them is sent. */
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
