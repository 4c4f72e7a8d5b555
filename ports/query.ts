/** A value that a query compares by. Instants are UTC ISO 8601 text with milliseconds, so text order is time order. */
export type Scalar = string | number | boolean

/**
 * `field operator value`; a null stored value satisfies none of them. `contains` asks of a stored list of strings
 * whether the value is one of them; the other operators compare.
 */
export interface Predicate {
  readonly field: string
  readonly operator: 'equals' | 'atLeast' | 'above' | 'atMost' | 'below' | 'contains'
  readonly value: Scalar
}

/**
 * The total order of a page: an unsplittable pair of a sort field and the id that breaks ties, one direction. Rows
 * without a value in the sort field come last, in either direction.
 */
export interface Order {
  readonly field: string
  readonly idField: string
  readonly direction: 'ascending' | 'descending'
}

/** The order's values of the last row of the previous page: the next page starts directly after them. */
export interface Position {
  /** Null: that row has no value, so only rows without a value follow. */
  readonly value: string | number | null
  readonly id: string
}

/** One page of a stored collection of the tenant. */
export interface PageQuery {
  readonly kind: 'page'
  readonly collection: string
  /** Stored fields to return; nothing else is read out. */
  readonly select: readonly string[]
  readonly where: readonly Predicate[]
  readonly order: Order
  readonly after: Position | null
  /** Most rows to return; callers ask for one more than the page to learn whether another page follows. */
  readonly limit: number
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
  /** The field whose values make the groups; rows without one are a group too. */
  readonly by: string
  readonly where: readonly Predicate[]
  /** Whole-number fields to add up. The first one orders the groups. */
  readonly sums: readonly [string, ...string[]]
  /** By the first sum, greatest first, then by value; or by value, last first. The group without one comes last. */
  readonly order: 'sum' | 'value'
  readonly after: GroupPosition | null
  readonly limit: number
}

/** Groups come as rows of `value` and the sums by their names. */
export type ReadQuery = PageQuery | OneQuery | GroupsQuery

/** A stored row: camelCase field names; JSON fields parsed, booleans real booleans, absent values null. */
export type StoredRow = Readonly<Record<string, unknown>>
