/** A value that a query compares by. Instants are UTC ISO 8601 text with milliseconds, so text order is time order. */
export type Scalar = string | number | boolean

/**
 * The condition `field operator value`. A null stored value satisfies none. `contains` tests whether a stored list of
 * strings includes the value; the other operators compare.
 */
export interface Predicate {
  readonly field: string
  readonly operator: 'equals' | 'atLeast' | 'above' | 'atMost' | 'below' | 'contains'
  readonly value: Scalar
}

/**
 * The total order of a page: a sort field, the id that breaks ties, and one direction for both. Rows without a value in
 * the sort field come last in both directions.
 */
export interface Order {
  readonly field: string
  readonly idField: string
  readonly direction: 'ascending' | 'descending'
}

/** The values of the order in the last row of the previous page. The next page starts directly after that row. */
export interface Position {
  /** Null: that row has no value in the sort field, so only rows without a value follow. */
  readonly value: string | number | null
  readonly id: string
}

/** One page of a stored collection of the tenant. */
export interface PageQuery {
  readonly kind: 'page'
  readonly collection: string
  /** The stored fields to return; no others are read. */
  readonly select: readonly string[]
  readonly where: readonly Predicate[]
  readonly order: Order
  readonly after: Position | null
  /** The maximum number of rows. Callers ask for one more than the page, to learn whether another page follows. */
  readonly limit: number
  /**
   * The maximum number of rows to look at for filters that are tested row by row. The storage may read each of them twice.
   * Left out: as many as it takes. Outside sources have bounds of their own.
   */
  readonly looksAtMax?: number
}

/** Where a page ended before its limit. */
export interface PageEnd {
  /**
   * More rows may follow this position, although fewer than the page's limit were found: because these are too large to
   * be read at once, or because as many were looked at as the query allows. Null: the page did not end early.
   */
  readonly stoppedAt: Position | null
}

/** One row of a stored collection of the tenant, by id. */
export interface OneQuery {
  readonly kind: 'one'
  readonly collection: string
  readonly select: readonly string[]
  readonly id: string
}

/** The last group of the previous page: the next page starts directly after it. */
export interface GroupPosition {
  readonly sum: number
  /** Null: the group of the rows without a value. */
  readonly value: string | null
}

/** Sums over rows of a stored collection of the tenant, a group for each value of one text field. */
export interface GroupsQuery {
  readonly kind: 'groups'
  readonly collection: string
  /** The field by whose values rows are grouped. Rows without a value form a group too. */
  readonly by: string
  readonly where: readonly Predicate[]
  /** The whole-number fields to sum. The first one orders the groups. */
  readonly sums: readonly [string, ...string[]]
  /**
   * `sum`: by the first sum, greatest first, then by value. `value`: by value, descending. The group without a value
   * comes last.
   */
  readonly order: 'sum' | 'value'
  readonly after: GroupPosition | null
  readonly limit: number
}

/** A group is returned as a row with `value` and the sums by name. */
export type ReadQuery = PageQuery | OneQuery | GroupsQuery

/**
 * A stored row, by camelCase field names. JSON fields are parsed, booleans are real booleans, and missing values are
 * null.
 */
export type StoredRow = Readonly<Record<string, unknown>>
