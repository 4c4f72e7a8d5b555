import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resources } from '../../domain/resources/index.ts'
import type { KeptRow, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from './text-order.ts'

/** The fields of a resource that only the store sets, as a new row has them: counts start at 0, all else is empty. */
export function initialFields(resource: Resource): KeptRow {
  const entries = storedFields(resource).flatMap(([name, { origin, field }]) =>
    origin === 'assigned' ? [[name, field.storage === 'integer' && !field.nullable ? 0 : null] as const] : [],
  )
  return Object.fromEntries(entries)
}

/**
 * Brings the tallies of every row up to date after rows of a collection were written. A row whose tally changed counts
 * as changed at `updatedAt`.
 */
export function refreshTallies(tenant: TenantState, written: string, updatedAt: string): void {
  for (const resource of resources) {
    const tallies = storedFields(resource).flatMap(([name, entry]) =>
      entry.origin === 'assigned' && entry.tally !== null ? [[name, entry.tally] as const] : [],
    )
    if (!tallies.some(([, { collection }]) => collection === written || resource.collection === written))
      continue
    const rows = rowsOf(tenant, resource.collection)
    for (const [id, row] of rows) {
      const counted = Object.fromEntries(
        tallies.map(([name, { collection, by, of }]) => {
          const children = [...rowsOf(tenant, collection).values()].filter((child) => child[by] === id)
          return [name, of.kind === 'count' ? children.length : latest(children, of.field)]
        }),
      )
      if (Object.entries(counted).some(([name, value]) => row[name] !== value)) {
        rows.set(id, { ...row, ...counted, updatedAt })
      }
    }
  }
}

function latest(rows: readonly KeptRow[], field: string): string | null {
  const values = rows.map((row) => row[field]).filter((value) => typeof value === 'string')
  return values.sort(compareBytes).at(-1) ?? null
}
