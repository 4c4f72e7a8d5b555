import type { Field } from '../../domain/contract/field.ts'
import type { Resource } from '../../domain/contract/resource.ts'
import type { Condition, Tally } from '../../domain/contract/tally.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resources } from '../../domain/resources/index.ts'
import type { KeptRow, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** The fields of a resource that only the store sets, as a new row has them: counts start at 0, lists and all else empty. */
export function initialFields(resource: Resource): KeptRow {
  const entries = storedFields(resource).flatMap(([name, { origin, field }]) =>
    origin === 'assigned' ? [[name, initialValue(field)] as const] : [],
  )
  return Object.fromEntries(entries)
}

/**
 * Brings the tallies of every row up to date after rows of a collection were written. A row whose tally changed counts
 * as changed at `updatedAt`, which its own parents' tallies may depend on.
 */
export function refreshTallies(tenant: TenantState, written: string, updatedAt: string): void {
  for (const resource of resources) {
    const tallies = storedFields(resource).flatMap(([name, entry]) =>
      entry.origin === 'assigned' && entry.tally !== null ? [[name, entry.tally] as const] : [],
    )
    if (!tallies.some(([, { collection }]) => collection === written || resource.collection === written))
      continue
    const rows = rowsOf(tenant, resource.collection)
    let changed = false
    for (const [id, row] of rows) {
      const counted = Object.fromEntries(
        tallies.map(([name, { collection, by, where, of }]) => {
          const children = [...rowsOf(tenant, collection).values()].filter(
            (child) => child[by] === id && (where === null || satisfies(child, where)),
          )
          return [name, tallied(of, children, row)]
        }),
      )
      if (Object.entries(counted).some(([name, value]) => row[name] !== value)) {
        rows.set(id, { ...row, ...counted, updatedAt })
        changed = true
      }
    }
    if (changed) refreshTallies(tenant, resource.collection, updatedAt)
  }
}

function satisfies(row: KeptRow, condition: Condition): boolean {
  const value = row[condition.field] ?? null
  return 'words' in condition ? condition.words.includes(String(value)) : Number(value) >= condition.atLeast
}

function initialValue({ storage, nullable }: Field): KeptRow[string] {
  if (nullable) return null
  return storage === 'integer' ? 0 : storage === 'json' ? '[]' : null
}

function tallied(of: Tally['of'], children: readonly KeptRow[], row: KeptRow): KeptRow[string] {
  switch (of.kind) {
    case 'count':
      return children.length
    case 'sum':
      return children.reduce((sum, child) => sum + Number(child[of.field] ?? 0), 0)
    case 'latest':
      return latest(children, of.field)
    case 'first_days':
      return JSON.stringify(firstDays(of, children, row))
  }
}

const DAY_MS = 86_400_000

function firstDays(
  { at, from, days, fields }: Extract<Tally['of'], { kind: 'first_days' }>,
  children: readonly KeptRow[],
  row: KeptRow,
): readonly KeptRow[] {
  const day = row[from]
  if (typeof day !== 'string') return []
  const startMs = Date.parse(day)
  return children
    .filter((child) => {
      const sinceMs = Date.parse(String(child[at])) - startMs
      return sinceMs >= 0 && sinceMs < days * DAY_MS
    })
    .map((child) => Object.fromEntries(fields.map((field) => [field, child[field] ?? null])))
}

function latest(rows: readonly KeptRow[], field: string): string | null {
  const values = rows.map((row) => row[field]).filter((value) => typeof value === 'string')
  return values.sort(compareBytes).at(-1) ?? null
}
