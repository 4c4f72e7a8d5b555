/** What identifies a row within an organization and a collection: its id, behind its parent's where it needs that. */
export type RowKey = readonly string[]

/** Rows of one collection that refer to rows of another. */
export interface ReferringRows {
  readonly collection: string
  readonly rows: number
}

/**
 * `unknown`: there are no rows with these keys (at most ten of them). `needed`: other rows refer to some of them.
 * `importing`: an import is open, whose rows may refer to them. In these cases nothing was removed.
 */
export type RowsRemoved =
  | { readonly kind: 'removed'; readonly rows: number }
  | { readonly kind: 'unknown'; readonly keys: readonly RowKey[] }
  | { readonly kind: 'importing'; readonly importId: string }
  | { readonly kind: 'needed'; readonly by: readonly ReferringRows[] }

/** Removes rows that should never have been there. */
export interface RowRemoval {
  /**
   * Removes rows of a collection, all or none of them, in one step. What other rows derive from them is right
   * afterwards, and what a tenant could read leaves a removal. Callers bound the number of keys.
   */
  removeRows(collection: string, keys: readonly RowKey[]): Promise<RowsRemoved>
}
