import type { KeptKind, RetentionSettings, StoredSettings } from '../organizations/organization.ts'

/**
 * The outcome of setting the retention: what it is afterwards. `missing`: there is no such organization. `changed`:
 * other settings are stored by now. In both cases nothing was written.
 */
export type SetRetentionOutcome =
  { readonly kind: 'set'; readonly retention: RetentionSettings } | { readonly kind: 'missing' | 'changed' }

/** The retention of one organization. */
export interface Retention {
  retention(): Promise<RetentionSettings>
  /**
   * Saves settings in one step, and makes them due at once. A setting that is left out stays as it is.
   * @param replaced the settings that must still be stored; left out: whatever is stored
   */
  setRetention(
    settings: Partial<RetentionSettings>,
    now: string,
    replaced?: StoredSettings,
  ): Promise<SetRetentionOutcome>
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
  /** When the next setting is due, or a key of a send is free again; null: there is neither. */
  nextDue(): Promise<string | null>
  /**
   * Removes some of what an organization has kept since before an instant. When nothing is left, the setting is due
   * again at `next`. Returns how many rows were removed: none when the setting was changed since it was found due.
   */
  apply(due: DueRetention, before: string, now: string, next: string): Promise<number>
  /** Forgets keys of sends that are free again at `now`, at most `limit`. Returns how many. */
  forgetSendKeys(now: string, limit: number): Promise<number>
  /** Forgets removals from before an instant, at most `limit`. Returns how many. */
  forgetRemovals(before: string, limit: number): Promise<number>
}
