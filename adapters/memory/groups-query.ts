import type { GroupPosition, GroupsQuery, StoredRow } from '../../ports/query.ts'
import type { KeptRow } from './state.ts'
import { compareBytes } from './text-order.ts'

/** Adds up rows that satisfy a query by the values of one field, and cuts the page from the groups. */
export function groupRows(rows: readonly KeptRow[], query: GroupsQuery): readonly StoredRow[] {
  const { by, sums, order, after, limit } = query
  const groups = Map.groupBy(rows, (row) => (row[by] ?? null) as string | null)
  const compare = order === 'sum' ? bySum : byValue
  return [...groups]
    .map(([value, members]) => {
      const added = sums.map(
        (field) => [field, members.reduce((sum, row) => sum + Number(row[field] ?? 0), 0)] as const,
      )
      return { position: { value, sum: added[0]?.[1] ?? 0 }, row: { value, ...Object.fromEntries(added) } }
    })
    .filter(({ position }) => after === null || compare(position, after) > 0)
    .sort((left, right) => compare(left.position, right.position))
    .slice(0, limit)
    .map(({ row }) => row)
}

function bySum(left: GroupPosition, right: GroupPosition): number {
  return right.sum - left.sum || nullsLast(left, right) || compareBytes(left.value ?? '', right.value ?? '')
}

function byValue(left: GroupPosition, right: GroupPosition): number {
  return nullsLast(left, right) || compareBytes(right.value ?? '', left.value ?? '')
}

function nullsLast(left: GroupPosition, right: GroupPosition): number {
  return Number(left.value === null) - Number(right.value === null)
}
