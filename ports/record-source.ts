import type { OneQuery, PageQuery, Position, Predicate, StoredRow } from './query.ts'

/** One page of rows, or why there is none. */
export type SourcePage =
  | {
      readonly kind: 'page'
      readonly rows: readonly StoredRow[]
      /** Where the next page starts; null: this is the last one. It is valid only for the same source and query. */
      readonly next: Position | null
    }
  | SourceRefusal
  | SourceFailure

/** One row; null when no row has that id; or why the source cannot tell. */
export type SourceRow = { readonly kind: 'row'; readonly row: StoredRow | null } | SourceFailure

/** The source never supports this query: it lacks such a filter or order. */
export interface SourceRefusal {
  readonly kind: 'unsupported'
  /**
   * The predicate that the source cannot serve, by its field and operator; when the operator is null, the field of an
   * order.
   */
  readonly field: string
  readonly operator: Predicate['operator'] | null
  /** What the source can serve, as the end of a sentence that begins with the name of a parameter. */
  readonly allowed: string
}

/** The source cannot be used now: it did not answer in time, refused this service, or sent a malformed answer. */
export interface SourceFailure {
  readonly kind: 'unavailable'
  /** For the operator's log, in this service's words: no address, key or row. */
  readonly reason: string
  /** What was caught, for the operator's log alone, which prints its name and place and never its message. */
  readonly cause?: unknown
}

/**
 * Rows of one organization that are kept outside this service's own storage. The queries are those of storage, over the
 * same field names; a source that uses an order of its own documents it where it is created. No method ever rejects,
 * and each ends within a bounded time.
 */
export interface RecordSource {
  /** At most `query.limit` rows in the query's order after `query.after`. */
  page(query: PageQuery): Promise<SourcePage>
  one(query: OneQuery): Promise<SourceRow>
}
