import type { OneQuery, PageQuery, Position, Predicate, StoredRow } from './query.ts'

/** One page of rows, or why there is none. */
export type SourcePage =
  | {
      readonly kind: 'page'
      readonly rows: readonly StoredRow[]
      /** Where the next page starts; null: this is the last one. It means nothing to any other source or query. */
      readonly next: Position | null
    }
  | SourceRefusal
  | SourceFailure

/** One row, null when there is none of that id, or why it cannot be told. */
export type SourceRow = { readonly kind: 'row'; readonly row: StoredRow | null } | SourceFailure

/** The source has no such query, now or ever: it cannot be narrowed or ordered so. */
export interface SourceRefusal {
  readonly kind: 'unsupported'
  /** The predicate that it cannot serve, by its field and operator; the operator is null: it is an order's field. */
  readonly field: string
  readonly operator: Predicate['operator'] | null
  /** What it can serve, as the end of a sentence that begins with the name of a parameter. */
  readonly allowed: string
}

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
