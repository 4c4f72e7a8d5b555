/** The exact value of one column in a database. */
export type StoredValue = string | number | null

/** A table whose rows belong to organizations, so that they move with them. */
export interface MovedTable {
  readonly name: string
  /** Every stored column: first those of the key, in the order of the key. */
  readonly columns: readonly string[]
  /** The columns that identify a row: the organization's id, then the rest of the primary key. */
  readonly key: readonly string[]
}

/** The values of a row in the order of the table's columns, so that it begins with its key. */
export type MovedRow = readonly StoredValue[]

/** The values of a row's key: the organization's id first. */
export type MoveKey = readonly StoredValue[]

/**
 * A position between two rows of a table: in this organization, after the row with this key (null: before its first
 * row).
 */
export interface MovePosition {
  readonly organizationId: string
  readonly after: MoveKey | null
}

/** The rows of a table between two positions. `from` null: from the first row. `to` null: up to the last row. */
export interface TableSpan {
  readonly from: MovePosition | null
  readonly to: MovePosition | null
}

/**
 * Rows of the family from a position on, in the order of their keys, and the keys of rows that were written meanwhile.
 */
export interface MoveChunk {
  /** At most as many rows as were requested, and about a megabyte; or a single row that is larger. May be empty. */
  readonly rows: readonly MovedRow[]
  /** The position up to which all rows are included; null: the end of the table. */
  readonly to: MovePosition | null
  /** The keys of the table that are in the journal at the same moment; null: there are too many. */
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

/** The rows for the first of the requested keys. A key without a row has none here. */
export interface FoundRows {
  readonly rows: readonly MovedRow[]
  /** How many of the keys were looked up: all of them, unless the rows do not fit into one answer. */
  readonly lookedUp: number
}

/** Changes of one table: rows to delete, then rows to insert. A row that is replaced is in both. */
export interface TableChanges {
  readonly table: MovedTable
  readonly deletes: readonly MoveKey[]
  readonly inserts: readonly MovedRow[]
}

/** The state of filling a target. */
export interface TargetState {
  /** Changes with every write of the filling. */
  readonly version: number
  /** JSON that only the domain writes and reads. */
  readonly progress: string
  /** The token of the attempt to switch for which filling was ended; null: filling continues. */
  readonly finishedBy: string | null
}

/**
 * The outcome of a write to a target. Unless it is `written`, nothing was written. `overtaken`: the version is no
 * longer current, or filling has ended. `conflict`: a row needs a unique value that another row of the target has. The
 * value changed hands during the move, so the journal names both rows. `schema_changed`: the triggers of a table have
 * changed; the next call uses the new ones.
 */
export type WriteOutcome = 'written' | 'overtaken' | 'conflict' | 'schema_changed'

/**
 * A place as the source of a move. It serves requests until `close`. Every method may be repeated after its answer was
 * lost. The id of a journal begins with the id of its move; a move that starts again starts a new journal.
 */
export interface MoveSource {
  /** The tables to move, according to the present schema. */
  tables(): Promise<readonly MovedTable[]>
  /**
   * Starts to record the keys of all rows that are written from now on, by anyone, and records which organizations
   * belong to the family; later children are added automatically. Until `stop`, no organization can leave or join the
   * family by a change of its parent. Atomic.
   */
  start(journalId: string, familyId: string, tables: readonly MovedTable[]): Promise<void>
  /** Whether the tables have not changed, and everything that `start` created for them still exists. */
  isJournaling(journalId: string, tables: readonly MovedTable[]): Promise<boolean>
  /**
   * Rows of the family from a position on (null: from the first), and the table's keys in the journal, read at the same
   * moment.
   */
  readChunk(
    journalId: string,
    table: MovedTable,
    from: MovePosition | null,
    rowsMax: number,
  ): Promise<MoveChunk>
  /** The rows for the keys, all read at the same moment. One result for each table. */
  readRows(wanted: readonly WantedRows[]): Promise<readonly FoundRows[]>
  /** The oldest entries of the journal, in order. */
  readJournal(journalId: string, limit: number): Promise<readonly JournalEntry[]>
  /** Removes the entries up to a number. */
  forgetJournal(journalId: string, upTo: number): Promise<void>
  /** Ends this journal, or with the id of a move all of its journals, and removes everything that `start` made. */
  stop(id: string): Promise<void>
  /**
   * Pauses writes until an instant, in ms since 1970. The first write after that instant ends the pause. Replaces a
   * pause with another token; a sealed or closed place is not changed.
   */
  pause(journalId: string, token: string, untilMs: number): Promise<void>
  /**
   * Makes the pause of this token one without an end. From then on the place answers only requests to which the
   * directory has named it since they began. False: the pause has ended.
   */
  seal(journalId: string, token: string): Promise<boolean>
  /** Ends the pause that `pause` or `seal` made with this token, if there still is one. */
  resume(token: string): Promise<void>
  /** Refuses reads and writes from now on. Only called after the switch. */
  close(): Promise<void>
}

/** A place as the target of a move. Before the switch, only the move reaches the family there. */
export interface MoveTarget {
  /** The tables to move, according to the present schema. */
  tables(): Promise<readonly MovedTable[]>
  /** Starts to fill the target, or starts again with this progress, unless filling has ended. Existing rows stay. */
  begin(moveId: string, progress: string): Promise<void>
  /** The state of the filling; null: `begin` was not called, or `empty` was. */
  state(moveId: string): Promise<TargetState | null>
  /** Rows of the family within a span. `isWhole` false: there are more of them than fit into one answer. */
  readSpan(
    moveId: string,
    table: MovedTable,
    span: TableSpan,
    rowsMax: number,
  ): Promise<{ readonly rows: readonly MovedRow[]; readonly isWhole: boolean }>
  /** The rows for the keys, all read at the same moment. One result for each table. */
  readRows(wanted: readonly WantedRows[]): Promise<readonly FoundRows[]>
  /**
   * Writes rows without firing the triggers that derive rows from others, and stores the progress, in one step. Only if
   * the version is still current and filling has not ended.
   */
  write(
    moveId: string,
    version: number,
    progress: string,
    changes: readonly TableChanges[],
  ): Promise<WriteOutcome>
  /**
   * Ends filling before an attempt to switch, if the version is still current, so that a mover that fell behind cannot
   * write after the switch. It also prepares the place to answer reads from the moment of the switch. Writes stay
   * paused until `open`.
   */
  finish(moveId: string, version: number, token: string): Promise<boolean>
  /** Continues filling after that attempt has failed. Does nothing when filling was ended for another attempt. */
  reopen(moveId: string, token: string): Promise<void>
  /** Allows writes. Called after the switch. */
  open(token: string): Promise<void>
  /** Removes the record of the filling, not the rows. Called after the switch. */
  forget(moveId: string): Promise<void>
}

/** A database in which families can live, as a source or target of moves. */
export interface MovePlace extends MoveSource, MoveTarget {
  /** The maximum number of rows that one step reads or writes here. It bounds how long others wait for the database. */
  readonly rowsMax: number
  /**
   * Ends what is left of a move here, and deletes a bounded number of the family's rows: those of a source after the
   * switch, or of a target after the move was aborted. Only rows of organizations that the directory places elsewhere
   * are deleted, from all tables that exist now: since the move began, a migration may have added tables and filled
   * them.
   * @returns whether nothing is left
   */
  empty(moveId: string): Promise<boolean>
}
