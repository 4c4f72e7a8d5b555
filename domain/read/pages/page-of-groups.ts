import type { GroupPosition, GroupsQuery, StoredRow } from '../../../ports/records.ts'
import { compareBytes } from '../../text/characters.ts'

/** One group: its value, and its sums by their names. */
export type Group = { readonly value: string | null } & Readonly<Record<string, string | number | null>>

/** Cuts a page from the complete list of groups: those after the query's position, in the query's order. */
export function pageOfGroups<Row extends Group>(
  groups: readonly Row[],
  { sums: [first], order, after, limit }: Pick<GroupsQuery, 'sums' | 'order' | 'after' | 'limit'>,
): readonly Row[] {
  const compare = order === 'sum' ? bySum : byValue
  return groups
    .map((group) => ({ group, position: positionOfGroup(group, first) }))
    .filter(({ position }) => after === null || compare(position, after) > 0)
    .sort((left, right) => compare(left.position, right.position))
    .slice(0, limit)
    .map(({ group }) => group)
}

/** The position of a group among others. */
export function positionOfGroup(group: StoredRow, firstSum: string): GroupPosition {
  return { sum: Number(group[firstSum]), value: typeof group.value === 'string' ? group.value : null }
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
