/** Where a database may be asked to be created, best effort: the location hints of Durable Objects. */
export type Region = 'wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'oc' | 'afr' | 'me'

/** Where a database must be and stay, by law: the jurisdictions of Durable Objects. */
export type Jurisdiction = 'eu' | 'us' | 'fedramp'

/** The database that all families share which have none of their own. */
export interface SharedPlace {
  readonly kind: 'shared'
}

/** The database of one family: an organization without a parent, and all below it. */
export interface OwnPlace {
  readonly kind: 'own'
  /** The id of the organization at the root. */
  readonly familyId: string
  /** Grows with each move, so that no two databases of a family ever have the same name. */
  readonly generation: number
  /** Null: wherever the platform puts it. At most one of the two is set. */
  readonly region: Region | null
  readonly jurisdiction: Jurisdiction | null
}

export type Place = SharedPlace | OwnPlace

/** An organization with a database of its own, or rather of its family. */
export interface PlacedOrganization {
  readonly organizationId: string
  readonly place: OwnPlace
}

/** A place as an operator asks for it. */
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
  /** Where a new family is to live; null: the family is there already. */
  readonly choice: { readonly region: Region | null; readonly jurisdiction: Jurisdiction | null } | null
  /** The slug that the organization is going to have; null: none. */
  readonly slug: string | null
}

/** A form id that another organization holds. */
export interface HeldForm {
  readonly formId: string
  readonly organizationId: string
  /** UTC instant of the reservation, as long as the form was not stored; null: it was. */
  readonly reservedAt: string | null
}

/** A family with a database of its own. */
export interface PlacedFamily {
  readonly place: OwnPlace
}

/** A family whose database may have work that nobody waits for. */
export interface FamilyWithWork extends PlacedFamily {
  /** How often work was noted. */
  readonly notes: number
  /** Whether the database had no work when it was last asked. */
  readonly wasIdle: boolean
}

/** An organization of the service, wherever it lives. */
export interface DirectoryEntry {
  readonly organizationId: string
  readonly place: Place
}

/** What requests ask and tell the directory of places. */
export interface PlaceFinder {
  /** The place of an organization with a database of its own. Null: it lives in the shared one, or does not exist. */
  placeOf(organizationId: string): Promise<OwnPlace | null>
  /** The organization of a key, when it has a database of its own; null: none of those has the key. */
  placeOfKey(keyId: string): Promise<PlacedOrganization | null>
  /** Notes that a family's database may have work, and is to be asked for it at an instant, or before if that is noted. */
  noteWork(familyId: string, at: string): Promise<void>
}

/**
 * Where every organization lives that has a database of its own, and which of its names nobody else may take. The shared
 * database holds it. It knows no content: an entry is written first, as a reservation, and the data after it.
 */
export interface PlaceDirectory extends PlaceFinder {
  /**
   * Writes the entry of an organization, and of its family when that is new. May be repeated. The slug is held besides
   * those that the organization held before, until `freeSlugs`.
   * @returns the place; `slug_taken`: another organization has the slug; `elsewhere`: the organization exists in another
   *   place or family, or the family is not where `choice` says. Then nothing is written.
   */
  reserve(reservation: PlaceReservation): Promise<OwnPlace | 'slug_taken' | 'elsewhere'>
  /** Every slug that an organization holds: the one that it has, and any that a change of it is about, or was. */
  slugsOf(organizationId: string): Promise<readonly string[]>
  /** Lets go of some slugs of an organization. May be repeated. */
  freeSlugs(organizationId: string, slugs: readonly string[]): Promise<void>
  /** Writes the entry of a key. May be repeated. */
  reserveKey(keyId: string, organizationId: string): Promise<void>
  /**
   * Reserves ids of forms, all or none. May be repeated, and one that is not stored yet is reserved from then on anew.
   * @returns those that another organization holds; null: an import of forms into the shared database is being written
   *   and may bring the same ids, so nothing was reserved
   */
  reserveForms(organizationId: string, formIds: readonly string[]): Promise<readonly HeldForm[] | null>
  /** Notes that forms which an organization reserved are stored. */
  settleForms(organizationId: string, formIds: readonly string[]): Promise<void>
  /** Frees those of the ids that the organization reserved at `reservedUntil` or before and that were never settled. */
  freeForms(organizationId: string, formIds: readonly string[], reservedUntil: string): Promise<void>
  /** Of these ids, those that organizations other than this one hold, wherever they live. */
  formsOfOthers(organizationId: string, formIds: readonly string[]): Promise<readonly HeldForm[]>
  /** Organizations of all places by their id, starting after `afterId` (null: at the first), at most `limit`. */
  list(afterId: string | null, limit: number): Promise<readonly DirectoryEntry[]>
  /** Families with databases of their own by their id, starting after `afterId` (null: at the first), at most `limit`. */
  families(afterId: string | null, limit: number): Promise<readonly PlacedFamily[]>
  /** Families whose databases were to be asked for work at `now` or before, the longest waiting first, at most `limit`. */
  familiesWithWork(now: string, limit: number): Promise<readonly FamilyWithWork[]>
  /**
   * Notes what was found when a family's database was asked, unless work was noted meanwhile.
   * @param next when it is to be asked again; null: it has no work
   */
  settleWork(asked: FamilyWithWork, isIdle: boolean, next: string | null): Promise<void>
}
