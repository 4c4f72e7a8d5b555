import { pageOfGroups } from '../../domain/paging/page-of-groups.ts'
import type { GroupsQuery, StoredRow } from '../../ports/query.ts'
import type { KeptRow } from './state.ts'

/** Adds up rows that satisfy a query by the values of one field, and cuts the page from the groups. */
export function groupRows(rows: readonly KeptRow[], query: GroupsQuery): readonly StoredRow[] {
  const byValue = Map.groupBy(rows, (row) => (row[query.by] ?? null) as string | null)
  const groups = [...byValue].map(([value, members]) => {
    const added = query.sums.map(
      (field) => [field, members.reduce((sum, row) => sum + Number(row[field] ?? 0), 0)] as const,
    )
    return { value, ...Object.fromEntries(added) }
  })
  return pageOfGroups(groups, query)
}
