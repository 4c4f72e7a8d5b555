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

/** Rows of one organization in one table. */
export interface RowsWanted {
  readonly table: MovedTable
  readonly organizationId: string
  /** Only rows that were written at this instant of the organization's clock or later; null: all, by their keys. */
  readonly since: string | null
  /** Where reading continues: a `next` of the same reading; null: at the first row. */
  readonly after: MovedRow | null
  /** Where it ends: a `next` of another place's reading of all rows; left out: at the last row. */
  readonly upTo?: MovedRow | null
  /** How many rows a page has at most. */
  readonly rowsMax: number
}

/** Some rows in order: as many as were asked for at most, and about a megabyte, or one row that is larger. */
export interface RowsPage {
  readonly rows: readonly MovedRow[]
  /** Where the next page begins; null: there are no more rows. */
  readonly next: MovedRow | null
}

/** Keys of one table. */
export interface WantedKeys {
  readonly table: MovedTable
  readonly keys: readonly MoveKey[]
}

/** What is to be written to one table: rows that replace those with their keys, and keys of rows to delete first. */
export interface TableChanges {
  readonly table: MovedTable
  readonly gone: readonly MoveKey[]
  readonly rows: readonly MovedRow[]
}

/** An organization of a family that moves. */
export interface MovedOrganization {
  readonly organizationId: string
  /** Its clock. Every later write of one of its rows is at a later instant. */
  readonly clockAt: string
  /** Its latest restoration from an archive, which wrote rows at earlier instants; null: it was never restored. */
  readonly restoreId: string | null
}

/**
 * The outcome of a write to a target. Unless it is `written`, nothing was written. `overtaken`: another mover fills the
 * target, or filling has ended. `conflict`: a row needs a unique value that another row of the target still has.
 */
export type WriteOutcome = 'written' | 'overtaken' | 'conflict'

/** What a move reads, in either place. */
export interface MoveReading {
  /** The tables whose rows move, according to the present schema, in the order in which they are to be written. */
  tables(): Promise<readonly MovedTable[]>
  /** A page of each of these rows, all read at the same moment. */
  read(wanted: readonly RowsWanted[]): Promise<readonly RowsPage[]>
  /** The rows with these keys, all read at the same moment: a list for each table. */
  find(wanted: readonly WantedKeys[]): Promise<readonly (readonly MovedRow[])[]>
  /**
   * For each organization, how many rows it has in each of the tables. The texts of two places are the same when the
   * counts are.
   */
  counts(
    tables: readonly MovedTable[],
    organizationIds: readonly string[],
  ): Promise<readonly (readonly string[])[]>
}

/** A place as the source of a move. It serves requests until `seal`. Every method may be repeated. */
export interface MoveSource {
  /**
   * The organizations of the family, parents first.
   * @param now moves their clocks on, so that they are later than all that was written before; null: reads them only
   */
  organizations(familyId: string, now: string | null): Promise<readonly MovedOrganization[]>
  /** The keys of the rows that some rows of the table `removals` name: one list for each table. */
  removedKeys(
    removals: readonly MovedRow[],
  ): Promise<readonly { readonly table: string; readonly keys: readonly MoveKey[] }[]>
  /**
   * Pauses writes of the family until an instant, in ms since 1970. The first write after that instant ends the pause.
   * Replaces a pause with another token; a sealed or closed place is not changed.
   */
  pause(familyId: string, token: string, untilMs: number): Promise<void>
  /**
   * Makes the pause of this token one without an end. From then on the place answers only requests to which the
   * directory has named it since they began. False: the pause has ended.
   */
  seal(familyId: string, token: string): Promise<boolean>
  /** Ends the pause that `pause` or `seal` made with this token, if there still is one. */
  resume(token: string): Promise<void>
  /** Refuses reads and writes from now on, except those of moves. Only called after the switch. */
  close(): Promise<void>
}

/** A place as the target of a move. Before the switch, only the move reaches the family there. */
export interface MoveTarget {
  /** Lets a mover fill the target, and no other one any more, unless filling has ended. */
  begin(moveId: string, mover: string): Promise<void>
  /** Writes rows in one step, in the order given, if this mover still fills the target. */
  write(moveId: string, mover: string, changes: readonly TableChanges[]): Promise<WriteOutcome>
  /**
   * Ends filling before an attempt to switch, if this mover still fills the target, so that nothing that is late can be
   * written after the switch. It also prepares the place to answer reads from the moment of the switch. Writes stay
   * paused until `open`.
   */
  finish(moveId: string, mover: string, token: string): Promise<boolean>
  /** Continues filling after that attempt has failed. Does nothing when filling was ended for another attempt. */
  reopen(moveId: string, token: string): Promise<void>
  /** Allows writes. Called after the switch. */
  open(token: string): Promise<void>
}

/** A database in which families can live, as a source or target of moves. */
export interface MovePlace extends MoveReading, MoveSource, MoveTarget {
  /** The maximum number of rows that one step reads or writes here. It bounds how long others wait for the database. */
  readonly rowsMax: number
  /**
   * Removes what the move has noted here, not the rows. At a target it is called long after the switch: until then the
   * note says that filling has ended, to a mover that is late.
   */
  forget(moveId: string): Promise<void>
  /**
   * Ends what is left of a move here, and deletes a bounded number of the family's rows: those of a source after the
   * switch, or of a target before it. Only rows of organizations that the directory places elsewhere are deleted.
   * @returns whether nothing is left
   */
  empty(moveId: string, familyId: string): Promise<boolean>
}
