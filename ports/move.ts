/** What a database holds in one column, exactly. */
export type StoredValue = string | number | null

/** A table whose rows belong to organizations, so that they move with them. */
export interface MovedTable {
  readonly name: string
  /** Every stored column, those of the key first and in its order. */
  readonly columns: readonly string[]
  /** What tells rows apart: the organization's id, then the rest of the primary key. */
  readonly key: readonly string[]
}

/** The values of a row in the order of the table's columns, so that it begins with its key. */
export type MovedRow = readonly StoredValue[]

/** The values of a row's key: the organization's id first. */
export type MoveKey = readonly StoredValue[]

/** A place between two rows of a table: in this organization, behind the row with this key (null: before its first). */
export interface MovePosition {
  readonly organizationId: string
  readonly after: MoveKey | null
}

/** The rows of a table between two positions. From null: from the first row. To null: up to the last. */
export interface TableSpan {
  readonly from: MovePosition | null
  readonly to: MovePosition | null
}

/** Rows of the family from a position on, in the order of their keys, and what was written of the table meanwhile. */
export interface MoveChunk {
  /** As many rows as were asked for and about a megabyte at most, or one row that is larger. Possibly none. */
  readonly rows: readonly MovedRow[]
  /** Up to where all rows are given; null: up to the end. */
  readonly to: MovePosition | null
  /** The keys of the table that are in the journal at this very moment; null: too many to name. */
  readonly journaled: readonly MoveKey[] | null
}

/** A row that was written since the move began; its entries are numbered in the order of the writes. */
export interface JournalEntry {
  readonly seq: number
  readonly table: string
  readonly key: MoveKey
}

/** Keys of one table. */
export interface WantedRows {
  readonly table: MovedTable
  readonly keys: readonly MoveKey[]
}

/** The rows of the first keys that were asked for. A key without a row is missing among the rows. */
export interface FoundRows {
  readonly rows: readonly MovedRow[]
  /** How many of the keys were looked up: all of them, unless the rows are larger than fits into one answer. */
  readonly lookedUp: number
}

/** Changes of one table: rows to delete, then rows to insert. A row that is replaced is in both. */
export interface TableChanges {
  readonly table: MovedTable
  readonly deletes: readonly MoveKey[]
  readonly inserts: readonly MovedRow[]
}

/** How far a target is filled. */
export interface TargetState {
  /** Changes with every write of the target's filling. */
  readonly version: number
  /** JSON that the domain wrote and reads. */
  readonly progress: string
  /** The try to switch for which filling was ended; null: filling goes on. */
  readonly finishedBy: string | null
}

/**
 * What became of a write to a target. `overtaken`: its version is another one, or its filling has ended, so nothing was
 * written. `conflict`: a row would take a unique value from one that is there, so nothing was written; the journal names
 * both, since the value changed hands while the move ran. `schema_changed`: a table's triggers changed meanwhile, and
 * nothing was written; the next call knows the new ones.
 */
export type WriteOutcome = 'written' | 'overtaken' | 'conflict' | 'schema_changed'

/**
 * A place as the source of a move. It serves until `close`. Every method may be repeated after an answer was lost.
 * A journal is named by an id that begins with the id of its move; a move that begins anew begins a new journal.
 */
export interface MoveSource {
  /** The tables whose rows move, as the schema has them now. */
  tables(): Promise<readonly MovedTable[]>
  /**
   * Begins to note the keys of rows that are written from now on, whoever writes them, and fixes the organizations of
   * the family; children that it gets later are added by themselves. From now until `stop`, no organization can leave the
   * family or come to it by a change of its parent. Atomic.
   */
  start(journalId: string, familyId: string, tables: readonly MovedTable[]): Promise<void>
  /** Whether the tables are still these, and everything that `start` made for them is still there. */
  isJournaling(journalId: string, tables: readonly MovedTable[]): Promise<boolean>
  /** Rows of the family from a position on (null: from the first), and the journal of the table, in one moment. */
  readChunk(
    journalId: string,
    table: MovedTable,
    from: MovePosition | null,
    rowsMax: number,
  ): Promise<MoveChunk>
  /** The rows of the keys, all of one moment. One answer for each table. */
  readRows(wanted: readonly WantedRows[]): Promise<readonly FoundRows[]>
  /** The oldest entries of the journal, in order. */
  readJournal(journalId: string, limit: number): Promise<readonly JournalEntry[]>
  /** Removes the entries up to a number. */
  forgetJournal(journalId: string, upTo: number): Promise<void>
  /** Ends this journal, or with the id of a move all of its journals, and removes everything that `start` made. */
  stop(id: string): Promise<void>
  /**
   * Pauses writes until an instant, in ms since 1970. The first write after it ends the pause by itself. A pause with
   * another token is replaced; what is sealed or closed stays so.
   */
  pause(journalId: string, token: string, untilMs: number): Promise<void>
  /** Pauses writes without end, if the pause of this token was never ended. False: it was, and nothing has changed. */
  seal(journalId: string, token: string): Promise<boolean>
  /** Ends what `pause` or `seal` of this token began, if that lasts. */
  resume(token: string): Promise<void>
  /** Refuses reads and writes from now on. Called after the switch alone. */
  close(): Promise<void>
}

/** A place as the target of a move. Nobody but the move reaches the family there before the switch. */
export interface MoveTarget {
  /** The tables whose rows move, as the schema has them now. */
  tables(): Promise<readonly MovedTable[]>
  /** Begins to fill, or begins again, with this progress, unless filling has ended. Rows that are there already stay. */
  begin(moveId: string, progress: string): Promise<void>
  /** How far it is filled; null: `begin` was not called, or `empty` was. */
  state(moveId: string): Promise<TargetState | null>
  /** Rows of the family within a span. `isWhole` false: there are more of them than fit into one answer. */
  readSpan(
    moveId: string,
    table: MovedTable,
    span: TableSpan,
    rowsMax: number,
  ): Promise<{ readonly rows: readonly MovedRow[]; readonly isWhole: boolean }>
  /** The rows of the keys, all of one moment. One answer for each table. */
  readRows(wanted: readonly WantedRows[]): Promise<readonly FoundRows[]>
  /**
   * Writes rows as they are, firing none of the triggers that derive rows from others, and the progress with them, in one
   * step. Only if the version is still this one, and filling has not ended.
   */
  write(
    moveId: string,
    version: number,
    progress: string,
    changes: readonly TableChanges[],
  ): Promise<WriteOutcome>
  /**
   * Ends filling for a try to switch, if the version is still this one, so that no mover who was left behind can write
   * after the switch; and prepares that reads are answered from the moment of the switch. Writes stay paused until `open`.
   */
  finish(moveId: string, version: number, token: string): Promise<boolean>
  /** Goes on filling after that try failed. Does nothing when filling was ended for another try. */
  reopen(moveId: string, token: string): Promise<void>
  /** Lets writes in. Called after the switch and after the source was closed. */
  open(token: string): Promise<void>
  /** Removes the record of the filling, not the rows. Called after the switch. */
  forget(moveId: string): Promise<void>
}

/** One database that families can live in, as a move sees it. */
export interface MovePlace extends MoveSource, MoveTarget {
  /** Most rows that are read or written here in one step: it bounds how long others wait for the database. */
  readonly rowsMax: number
  /**
   * Ends what lasts of a move here, and deletes rows of the family, a bounded number: of a source after the switch, or of
   * a target that was given up. Only of organizations that the directory places elsewhere, and of all tables that are here
   * now: a migration since the move began may have made more, and filled them.
   * @returns whether nothing is left
   */
  empty(moveId: string): Promise<boolean>
}
