import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resourceOf } from '../../domain/resources/index.ts'
import type { Order, PageQuery, Predicate, ReadQuery, StoredRow } from '../../ports/query.ts'
import { groupRows } from './groups-query.ts'
import { fieldReader } from './rows.ts'
import type { KeptRow, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

type Kept = KeptRow[string]

/** Answers one query of a tenant. Throws for a collection or field that is not stored. */
export function runQuery(tenant: TenantState, query: ReadQuery): readonly StoredRow[] {
  const rows = rowsOf(tenant, query.collection)
  if (query.kind === 'groups') {
    const { collection, by, sums, where } = query
    assertStored(resourceOf(collection), [by, ...sums, ...where.map(({ field }) => field)])
    return groupRows(
      [...rows.values()].filter((row) => where.every((predicate) => satisfies(row, predicate))),
      query,
    )
  }
  const found =
    query.kind === 'page'
      ? pageRows(resourceOf(query.collection), rows, query)
      : [rows.get(query.id)].filter((row) => row !== undefined)
  return selectRows(tenant, query.collection, query.select, found)
}

/** The selected fields of rows, as the port hands them over. */
export function selectRows(
  tenant: TenantState,
  collection: string,
  select: readonly string[],
  rows: readonly KeptRow[],
): readonly StoredRow[] {
  const resource = resourceOf(collection)
  const readers = select.map(
    (name) => [name, fieldReader(resource, name, (other) => rowsOf(tenant, other))] as const,
  )
  return rows.map((row) => Object.fromEntries(readers.map(([name, read]) => [name, read(row)])))
}

/** The rows of a page, whole. Throws for a field that the resource does not store. */
export function pageRows(
  resource: Resource,
  rows: ReadonlyMap<string, KeptRow>,
  { where, order, after, limit }: PageQuery,
): KeptRow[] {
  assertStored(resource, [order.field, order.idField, ...where.map(({ field }) => field)])
  const position: KeptRow | null =
    after === null ? null : { [order.field]: after.value, [order.idField]: after.id }
  return [...rows.values()]
    .filter((row) => where.every((predicate) => satisfies(row, predicate)))
    .filter((row) => position === null || compareRows(row, position, order) > 0)
    .sort((left, right) => compareRows(left, right, order))
    .slice(0, limit)
}

function assertStored(resource: Resource, names: readonly string[]): void {
  const stored = new Set(storedFields(resource).map(([name]) => name))
  const unknown = names.find((name) => !stored.has(name))
  if (unknown !== undefined) throw new Error(`${resource.collection} stores no field ${unknown}`)
}

function satisfies(row: KeptRow, { field, operator, value }: Predicate): boolean {
  const kept = row[field] ?? null
  if (kept === null) return false
  if (operator === 'contains') return (JSON.parse(String(kept)) as readonly unknown[]).includes(value)
  const order = compare(kept, value)
  switch (operator) {
    case 'equals':
      return order === 0
    case 'atLeast':
      return order >= 0
    case 'above':
      return order > 0
    case 'atMost':
      return order <= 0
    case 'below':
      return order < 0
  }
}

/** The total order of a page: by the sort field, nulls last, then by id, in one direction. */
function compareRows(left: KeptRow, right: KeptRow, { field, idField, direction }: Order): number {
  const [leftValue, rightValue] = [left[field] ?? null, right[field] ?? null]
  const nulls = Number(leftValue === null) - Number(rightValue === null)
  if (nulls !== 0) return nulls
  const ascending = compare(leftValue, rightValue) || compare(left[idField] ?? null, right[idField] ?? null)
  return direction === 'ascending' ? ascending : -ascending
}

function compare(left: Kept, right: Kept): number {
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right)
  return Number(left) - Number(right)
}
