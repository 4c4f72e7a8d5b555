// Where families live, and how they move from one place to another.

/**
 * The region in which a database should be created, which the platform tries to respect: the location hints of Durable
 * Objects.
 */
export type Region = 'wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'oc' | 'afr' | 'me'

/** The jurisdiction in which a database must stay, by law: the jurisdictions of Durable Objects. */
export type Jurisdiction = 'eu' | 'us' | 'fedramp'

/** The database that is shared by all families without one of their own. */
export interface SharedPlace {
  readonly kind: 'shared'
}

/** The database of one family: an organization without a parent, and all organizations below it. */
export interface OwnPlace {
  readonly kind: 'own'
  /** The id of the organization at the root. */
  readonly familyId: string
  /** Grows with each move, so that no two databases of a family ever have the same name. */
  readonly generation: number
  /** Null: the platform chooses. At most one of region and jurisdiction is set. */
  readonly region: Region | null
  readonly jurisdiction: Jurisdiction | null
}

export type Place = SharedPlace | OwnPlace

/** An organization whose family has a database of its own. */
export interface PlacedOrganization {
  readonly organizationId: string
  readonly place: OwnPlace
}

/** The place that an operator requests. */
export type PlaceChoice =
  | SharedPlace
  | {
      readonly kind: 'own'
      readonly region: Region | null
      readonly jurisdiction: Jurisdiction | null
    }

/** An organization that is about to be stored in a family's database. */
export interface PlaceReservation {
  readonly organizationId: string
  /** The organization at the root of its family: itself, unless it has a parent. */
  readonly familyId: string
  /** Where to create the database of a new family; null: the family has its database already. */
  readonly choice: { readonly region: Region | null; readonly jurisdiction: Jurisdiction | null } | null
  /** The slug that the organization will have; null: none. */
  readonly slug: string | null
}

/** A form id that another organization holds. */
export interface HeldForm {
  readonly formId: string
  readonly organizationId: string
  /** The UTC instant of the reservation, while the form is not yet stored; null: it is stored. */
  readonly reservedAt: string | null
}

/** A family with a database of its own. */
export interface PlacedFamily {
  readonly place: OwnPlace
}

/** A family whose database may have pending background work. */
export interface FamilyWithWork extends PlacedFamily {
  /** How many times work was noted. */
  readonly notes: number
  /** Whether the database had no work when it was last asked. */
  readonly wasIdle: boolean
}

/** An organization of the service, wherever it lives. */
export interface DirectoryEntry {
  readonly organizationId: string
  readonly place: Place
}

/** The part of the directory of places that requests need. */
export interface PlaceFinder {
  /**
   * The place of an organization with a database of its own. Null: it lives in the shared database, or does not exist.
   */
  placeOf(organizationId: string): Promise<OwnPlace | null>
  /** The organization of a key, if it has a database of its own; null: no such organization has the key. */
  placeOfKey(keyId: string): Promise<PlacedOrganization | null>
  /**
   * Notes that a family's database may have work, and should be asked for it at an instant. An earlier instant that is
   * already noted stays.
   */
  noteWork(familyId: string, at: string): Promise<void>
}

/**
 * The places of all organizations that have databases of their own, and their names that nobody else may take. It is in
 * the shared database. It contains none of their data. An entry is written first, as a reservation, and the data
 * afterwards.
 */
export interface PlaceDirectory extends PlaceFinder {
  /**
   * Writes the entry of an organization, and of its family if that is new. May be repeated. The organization also keeps
   * the slugs that it held before, until `freeSlugs`.
   * @returns the place. `slug_taken`: another organization has the slug. `elsewhere`: the organization exists in
   *   another place or family, or the family is not where `choice` says. In both cases nothing is written
   */
  reserve(reservation: PlaceReservation): Promise<OwnPlace | 'slug_taken' | 'elsewhere'>
  /**
   * Every slug that an organization holds: its present one, and those of changes that are in progress or were
   * interrupted.
   */
  slugsOf(organizationId: string): Promise<readonly string[]>
  /** Frees some slugs of an organization. May be repeated. */
  freeSlugs(organizationId: string, slugs: readonly string[]): Promise<void>
  /**
   * Writes the entry of a key, with the operator key that issues it, as in `StoredKey`. May be repeated. Does nothing for
   * an organization that the directory does not name: it was deleted.
   */
  reserveKey(keyId: string, organizationId: string, issuedBy: string | null): Promise<void>
  /** Forgets who issued the keys of these organizations, where it was one of these operator keys. May be repeated. */
  forgetIssuers(organizationIds: readonly string[], issuers: readonly string[]): Promise<void>
  /**
   * Reserves ids of forms, all or none. May be repeated, which restarts the time of reservations whose forms are not
   * stored yet.
   * @returns the ids that another organization holds. Null: an import of forms into the shared database is being
   *   written and may contain the same ids, so nothing was reserved
   */
  reserveForms(organizationId: string, formIds: readonly string[]): Promise<readonly HeldForm[] | null>
  /** Records that forms which an organization reserved are stored. */
  settleForms(organizationId: string, formIds: readonly string[]): Promise<void>
  /** Frees those of the ids that the organization reserved at `reservedUntil` or earlier and never stored. */
  freeForms(organizationId: string, formIds: readonly string[], reservedUntil: string): Promise<void>
  /** Frees ids of forms that the organization has removed. May be repeated. */
  releaseForms(organizationId: string, formIds: readonly string[]): Promise<void>
  /**
   * Removes an organization with everything that it holds here, and its family when nobody of it is left. May be
   * repeated.
   */
  release(organizationId: string): Promise<void>
  /** Of these ids, those that other organizations hold, wherever they live. */
  formsOfOthers(organizationId: string, formIds: readonly string[]): Promise<readonly HeldForm[]>
  /** Organizations of all places, sorted by id, starting after `afterId` (null: at the first), at most `limit`. */
  list(afterId: string | null, limit: number): Promise<readonly DirectoryEntry[]>
  /**
   * Families with databases of their own, sorted by id, starting after `afterId` (null: at the first), at most `limit`.
   */
  families(afterId: string | null, limit: number): Promise<readonly PlacedFamily[]>
  /**
   * Families whose databases should have been asked for work at `now` or earlier, the longest waiting first, at most
   * `limit`.
   */
  familiesWithWork(now: string, limit: number): Promise<readonly FamilyWithWork[]>
  /**
   * Records when to ask a family's database for work the next time, unless work was noted meanwhile.
   * @param isIdle whether it was asked, and had no work
   * @param next null: not before work is noted again
   */
  settleWork(asked: FamilyWithWork, isIdle: boolean, next: string | null): Promise<void>
}

/** Manages the databases of families that have one of their own. Their contents are reached through `Storage`. */
export interface FamilyDatabases {
  /** Whether the platform can keep a database within a jurisdiction. No I/O. */
  knows(jurisdiction: Jurisdiction): boolean
  /** Creates the database of a new family, empty and ready for use. May be repeated for the same place. */
  create(place: OwnPlace): Promise<void>
  /**
   * Removes the database of a family whose organizations were all deleted. May be repeated. Rejects, and removes nothing,
   * when an organization lives there.
   */
  remove(place: OwnPlace): Promise<void>
  /** The size of a database in bytes. */
  sizeBytes(place: OwnPlace): Promise<number>
}

/**
 * The phase of a move. `copying`: rounds of copying, while the source serves requests. `switching`: an attempt to switch
 * is running; writes may be paused. `switched`: the family lives in the target, and the source is about to be closed.
 * `comparing`: the rows of both are compared. `aborting`: the move was given up, and the copied rows are deleted. `done`
 * and `aborted` are final.
 */
export type MovePhase = 'copying' | 'switching' | 'switched' | 'comparing' | 'done' | 'aborting' | 'aborted'

/** The progress of a move, for operators. */
export interface ShownProgress {
  /** How many rows have been copied. */
  readonly copiedRows: number
  /** How many rows of the source were found again in the target after the switch. */
  readonly comparedRows: number
  /**
   * The index of the table that is being copied or compared, and the number of tables. `table` equals `tables` when
   * none is left.
   */
  readonly table: number
  readonly tables: number
  /** For how long writes were paused for the switch, in ms; null: not yet. */
  readonly pausedMs: number | null
}

/** The record of a move. */
export interface Move {
  readonly moveId: string
  readonly familyId: string
  readonly source: Place
  readonly target: Place
  readonly phase: MovePhase
  /**
   * Identifies the attempt to switch that is running, or after which both places must be cleaned up; null: there is
   * none.
   */
  readonly token: string | null
  /** JSON that only the domain writes and reads: how far copying or comparing is; null: it has not begun. */
  readonly progress: string | null
  readonly shown: ShownProgress | null
  /** How many attempts to switch have failed. */
  readonly tries: number
  /**
   * A UTC instant. While the move runs, no attempt begins before it; null: an attempt may begin at any time. After its
   * end, what it has left is removed from then on; null: it has been, or is to stay.
   */
  readonly notBefore: string | null
  readonly isAbortAsked: boolean
  /** Why the move failed, or what is wrong after it; null: nothing is, or it was aborted on request. */
  readonly failure: string | null
  /** UTC instants. */
  readonly startedAt: string
  readonly endedAt: string | null
}

/** A change of a move's record. Values that are left out stay. */
export interface MoveTurn {
  readonly phase: MovePhase
  readonly token?: string | null
  readonly progress?: string | null
  readonly tries?: number
  readonly notBefore?: string | null
  readonly failure?: string
  /** Set when the phase is final. */
  readonly endedAt?: string
}

/** A move that is to begin. */
export interface NewMove extends Pick<Move, 'moveId' | 'familyId' | 'startedAt'> {
  /**
   * The place to which the family moves. For a database of its own a new one is created, even when the family has one
   * already.
   */
  readonly target: PlaceChoice
}

/**
 * The durable record of moves, in the same database as the directory, so that the family's place and the phase of its
 * move change in one step. Every method is atomic.
 */
export interface MoveLedger {
  /**
   * Opens a move from the place where the family lives, unless the family is already moving. Returns the running move;
   * the caller compares `moveId`. Null, and nothing is opened: the family does not exist, or would move from the shared
   * database to the shared database.
   */
  open(move: NewMove): Promise<Move | null>
  /** The move with this id; null: there is none. */
  find(moveId: string): Promise<Move | null>
  /** The move of a family that runs; null: none does. */
  running(familyId: string): Promise<Move | null>
  /**
   * Running moves on which no mover works, first those that no mover has taken for longest, and then ended moves of
   * which something is to be removed by now, unless their family moves again. At most `limit` of each.
   */
  idle(now: string, limit: number): Promise<readonly Move[]>
  /**
   * Leases the move to a mover until an instant. A mover may renew its own lease. Null: another mover has the lease, or
   * the move has ended. The lease only avoids duplicate work; the safety of a move depends on the target's
   * mover and on tokens alone.
   */
  take(moveId: string, mover: string, now: string, until: string): Promise<Move | null>
  /** Ends a mover's lease early. */
  release(moveId: string, mover: string): Promise<void>
  /**
   * Changes the phase, if phase and token are still those of the given record.
   * @returns the record after that; null: they are not, and nothing was changed
   */
  turn(move: Move, turn: MoveTurn): Promise<Move | null>
  /**
   * Stores how far the move is, for whoever continues it and for operators, if the mover still has the lease.
   * @returns whether it has
   */
  save(moveId: string, mover: string, progress: string | null, shown: ShownProgress): Promise<boolean>
  /**
   * Requests that the move be aborted.
   * @returns false: it has switched or ended, so it cannot be aborted
   */
  askAbort(moveId: string): Promise<boolean>
  /**
   * Makes the target the family's place. Directory and phase change in one step, if the move is `switching` with this
   * record's token. When the source is the shared database, the pause of every organization of the family must not have
   * ended; from then on the shared database refuses the family. When the target is the shared database, it serves the
   * family from then on.
   * @returns the changed record; null: a condition does not hold, and nothing was changed
   */
  switch(move: Move, now: string): Promise<Move | null>
}

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
