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

/** The source never supports this query, because it lacks a filter or an order. */
export interface SourceRefusal {
  readonly kind: 'unsupported'
  /**
   * The field and operator of the predicate that the source does not support. When the operator is null, the field of
   * an order.
   */
  readonly field: string
  readonly operator: Predicate['operator'] | null
  /** What the source can serve, as the end of a sentence that begins with the name of a parameter. */
  readonly allowed: string
}

/**
 * The source is temporarily unavailable: it did not answer in time, refused this service, or sent a malformed answer.
 */
export interface SourceFailure {
  readonly kind: 'unavailable'
  /** For the operator's log, in this service's words, without an address, a key or a row. */
  readonly reason: string
  /** The caught exception. Only for the operator's log, which contains its name and place but never its message. */
  readonly cause?: unknown
}

/**
 * Rows of one organization that are stored outside this service. The queries are those of storage, with the same field
 * names. A source with an order of its own documents it where the source is opened. No method rejects, and each ends
 * within a bounded time.
 */
export interface RecordSource {
  /** At most `query.limit` rows in the query's order after `query.after`. */
  page(query: PageQuery): Promise<SourcePage>
  one(query: OneQuery): Promise<SourceRow>
}
