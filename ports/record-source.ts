import type { OneQuery, PageQuery, Position, StoredRow } from './query.ts'

/** One page of rows, or why there is none. */
export type SourcePage =
  | {
      readonly kind: 'page'
      readonly rows: readonly StoredRow[]
      /** Where the next page starts; null: this is the last one. It means nothing to any other source or query. */
      readonly next: Position | null
    }
  | SourceFailure

/** One row, null when there is none of that id, or why it cannot be told. */
export type SourceRow = { readonly kind: 'row'; readonly row: StoredRow | null } | SourceFailure

/** The source cannot be used now: it did not answer in time, refused this service, or answered nonsense. */
export interface SourceFailure {
  readonly kind: 'unavailable'
  /** For the operator's log, in this service's words: no address, key or row. */
  readonly reason: string
}

/**
 * Rows of one organization that are kept outside this service's own storage. The queries are those of storage, over
 * the same field names; a source that orders rows by its own means says so where it is made. No method ever rejects,
 * and each ends within a bounded time.
 */
export interface RecordSource {
  /** At most `query.limit` rows in the query's order behind `query.after`. */
  page(query: PageQuery): Promise<SourcePage>
  one(query: OneQuery): Promise<SourceRow>
}
