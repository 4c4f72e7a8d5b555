import type { PageQuery, Position, Predicate, Scalar } from '../../../ports/records.ts'

/** The predicates of a page, reduced so that at most one bound remains on the side where the page begins. */
export interface PageBounds<Bound extends Predicate = Predicate> {
  readonly where: readonly Bound[]
  /** The page starts right after this position; null: it starts at the bound, or at the beginning. */
  readonly seek: Position | null
}

/** The operators that bound an order's field on the side where a page in this direction begins. */
const NEAR_SIDE = {
  ascending: ['atLeast', 'above'],
  descending: ['atMost', 'below'],
} as const

/**
 * Combines the bounds of the order's field on the side where the page begins into the strictest one: databases seek by
 * one bound per side, and would scan for a second (measured on SQLite: 50,000 rows read instead of 102).
 */
export function foldBounds<Bound extends Predicate>({
  where,
  order,
  after,
}: Pick<PageQuery, 'order' | 'after'> & { readonly where: readonly Bound[] }): PageBounds<Bound> {
  const nearSide: readonly string[] = NEAR_SIDE[order.direction]
  const isNear = ({ field, operator }: Predicate) => field === order.field && nearSide.includes(operator)
  const bounds = where.filter(isNear)
  const rest = where.filter((predicate) => !isNear(predicate))
  const bound = bounds.reduce<Bound | null>(
    (tightest, next) => (tightest === null || isTighter(next, tightest, order.direction) ? next : tightest),
    null,
  )
  if (bound === null || after?.value === null) return { where, seek: after }
  if (after === null || startsBehind(bound, after, order.direction)) {
    return { where: [...rest, bound], seek: null }
  }
  return { where: rest, seek: after }
}

function isTighter(left: Predicate, right: Predicate, direction: PageQuery['order']['direction']): boolean {
  if (left.value === right.value) return isExclusive(left) && !isExclusive(right)
  return isFurther(left.value, right.value, direction)
}

/** Whether the bound alone excludes everything up to the position, so that the position adds nothing. */
function startsBehind(
  bound: Predicate,
  after: Position,
  direction: PageQuery['order']['direction'],
): boolean {
  if (bound.value === after.value) return isExclusive(bound)
  return after.value !== null && isFurther(bound.value, after.value, direction)
}

/**
 * Whether `left` comes later in the order than `right`. Instants are ASCII, so comparing code units orders them by
 * time.
 */
function isFurther(left: Scalar, right: Scalar, direction: PageQuery['order']['direction']): boolean {
  return direction === 'ascending' ? left > right : left < right
}

function isExclusive({ operator }: Predicate): boolean {
  return operator === 'above' || operator === 'below'
}
