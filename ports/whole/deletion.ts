/** Removes an organization with everything that one database stores of it. */
export interface Deletion {
  /**
   * Closes the organization for good: its keys and forms are unknown from now on, and nobody can create or restore it.
   * Also ends a restoration. May be repeated. `unknown`: there is nothing to delete.
   */
  beginDeletion(now: string): Promise<'begun' | 'has_children' | 'unknown'>
  /**
   * Removes some rows of one table; null: there are none any more, and the id is free. Nothing is noted of these rows,
   * because nobody can read the organization any more.
   */
  deleteSome(): Promise<{ readonly table: string; readonly rows: number } | null>
}
