import type { Order, PageQuery, Position, Predicate, Scalar } from '../../ports/records.ts'
import { SYNC_FIELD, type CollectionEndpoint } from '../record/endpoint.ts'
import { problem, type QueryProblem } from './query.ts'

export const SORT_ORDERS = ['asc', 'desc'] as const

type Orders = Pick<CollectionEndpoint, 'order' | 'syncOrder' | 'sorts'>

/** The parameters by which a caller chooses the order; none when the order is fixed. */
export function sortParameters({ sorts }: Pick<Orders, 'sorts'>): readonly string[] {
  return sorts.length === 0 ? [] : ['sortBy', 'sortOrder']
}

/**
 * The order of a page: the sync order for a sync, else the requested order; a part that the request leaves out is taken
 * from the natural order. The order of a sync is fixed, so a request cannot combine a sync with an order.
 */
export function readOrder(
  { order, syncOrder, sorts }: Orders,
  given: ReadonlyMap<string, string>,
  syncs: boolean,
): Order | QueryProblem {
  const field = given.get('sortBy') ?? order.field
  const word = given.get('sortOrder') ?? wordOf(order)
  if (given.has('sortBy') && !sorts.includes(field))
    return problem(`Parameter sortBy must be one of ${sorts.join(', ')}.`)
  if (word !== 'asc' && word !== 'desc')
    return problem(`Parameter sortOrder must be one of ${SORT_ORDERS.join(', ')}.`)
  if (syncs && syncOrder !== null) {
    const also = ['sortBy', 'sortOrder'].find((name) => given.has(name))
    return also === undefined
      ? syncOrder
      : problem(
          `Parameter ${also} cannot be combined with updatedAfter and updatedBefore: they order by updatedAt.`,
        )
  }
  if (field === order.field && word === wordOf(order)) return order
  return { field, idField: order.idField, direction: word === 'asc' ? 'ascending' : 'descending' }
}

/** The name by which a cursor identifies the order that it continues. */
export function orderName({ order, syncOrder }: Orders, asked: Order): string {
  const isNatural = asked === order && asked.field !== SYNC_FIELD
  return isNatural || asked === syncOrder ? asked.field : `${asked.field} ${wordOf(asked)}`
}

/** The problem of a request with a cursor for the order of this name, when the request asks for another order. */
export function otherOrder(name: string): string {
  const [field = '', word] = name.split(' ')
  if (field === SYNC_FIELD)
    return word === undefined
      ? 'This cursor continues a read in order of updatedAt: pass updatedAfter or updatedBefore with it.'
      : 'This cursor continues a read of the newest first: pass it without updatedAfter and updatedBefore.'
  return word === undefined
    ? `This cursor continues a read in order of ${field}: pass it without another sort, updatedAfter and updatedBefore.`
    : `This cursor continues a read sorted by ${field} ${word}: pass the same sortBy and sortOrder with it.`
}

function wordOf({ direction }: Order): (typeof SORT_ORDERS)[number] {
  return direction === 'ascending' ? 'asc' : 'desc'
}

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
