/** What an organization may keep for a limited time: what came in through forms, and the log of what was sent. */
export type KeptKind = 'submissions' | 'sends'

/** For how many days an organization keeps each of them; null: for ever. */
export type RetentionSettings = Readonly<Record<KeptKind, number | null>>

/** The retention of one organization. */
export interface Retention {
  retention(): Promise<RetentionSettings>
  /** Saves the settings, and makes them due at once. False: there is no such organization. */
  setRetention(settings: RetentionSettings, now: string): Promise<boolean>
}

/** A setting whose time has come. */
export interface DueRetention {
  readonly organizationId: string
  readonly kind: KeptKind
  readonly days: number
}

/** The retention of all organizations of one database. */
export interface RetentionDirectory {
  /** Settings that should have been applied at `now` or earlier, at most `limit`. */
  due(now: string, limit: number): Promise<readonly DueRetention[]>
  /** When the next setting is due; null: there is none. */
  nextDue(): Promise<string | null>
  /**
   * Removes some of what an organization has kept since before an instant. When nothing is left, the setting is due
   * again at `next`. Returns how many rows were removed.
   */
  apply(due: DueRetention, before: string, now: string, next: string): Promise<number>
  /** Forgets removals from before an instant, at most `limit`. Returns how many. */
  forgetRemovals(before: string, limit: number): Promise<number>
}
