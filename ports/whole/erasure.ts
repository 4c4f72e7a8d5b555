/** A person, by everything by which rows may know them. */
export interface Person {
  readonly contactIds: readonly string[]
  /** Addresses in the form in which they are compared. */
  readonly emailKeys: readonly string[]
  /** E.164. */
  readonly phones: readonly string[]
}

/** A person whose rows are to be erased. `emailKeys` has other spellings of the same addresses too, in lower case. */
export interface KnownPerson extends Person {
  /** The phone numbers as people write them: digits only, without zeros at the beginning, national and international. */
  readonly numbers: readonly string[]
}

/** A person who was looked for. */
export interface FoundPerson extends Person {
  /** The organization's clock when they were looked for; null: it is closed. */
  readonly clockAt: string | null
}

/** What one step of an erasure did. */
export interface ErasureStep {
  /** How many rows it changed or removed. */
  readonly rows: number
  /** How many of them are contacts. */
  readonly contacts: number
  /** The organization's clock after its last change; null: it is closed. */
  readonly clockAt: string | null
  /** Where the next step continues; null: everything was looked at. Only the store reads it. */
  readonly next: string | null
}

/** Erases what is stored about a person. */
export interface Erasure {
  /**
   * The contacts with one of the ids or addresses, together with all addresses of theirs and those that were given.
   * Ids that no contact has are left out.
   */
  findPerson(named: Person): Promise<FoundPerson>
  /** The id of an import that has begun and not ended; null: there is none. */
  openImport(): Promise<string | null>
  /**
   * Erases the person in some rows: every field that the records declare as personal gets the value that remains. What
   * was still to be sent to them is dropped, and recipients become `erased`. May be repeated.
   * @param position where to continue; null: at the beginning
   * @param closedAt the `updatedAt` of what is changed while the organization is closed, when it has no clock
   */
  eraseSome(person: KnownPerson, position: string | null, closedAt?: string): Promise<ErasureStep>
  /**
   * Looks at the same rows as `eraseSome`, and changes none. `rows` counts those that hold anything of the person, so an
   * erasure reports that many at most: it changes a message with the submission that it follows, and counts the two once.
   */
  findSome(person: KnownPerson, position: string | null): Promise<ErasureStep>
}
