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
   * Writes the entry of a key, with the operator key that issues it, as in `StoredKey`. May be repeated.
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
