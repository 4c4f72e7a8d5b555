import type { writtenPosRows } from '../../../domain/pos/index.ts'
import type { NeutralRow, SourceKind } from '../protocol.ts'
import type { Dialect } from './dialect.ts'
import { FAMILIES } from './families/index.ts'
import type { ChildMapping, Family, TableMapping } from './family.ts'
import type { Fragment } from './sql.ts'
import { join, raw, sql } from './sql.ts'
import { listOf, membersOf } from '../../../domain/text/json.ts'

/** A kind of rows that can be put into a source. Events belong to a recurring account: they carry its accountId. */
export type WritableRows = keyof typeof writtenPosRows

/** The tenant whose rows are written. Only a shared source uses it. */
export interface WriteScope {
  readonly kind: SourceKind
  readonly dialect: Dialect
  readonly tenant: string
}

/**
 * The statements that write a row in the neutral form, replacing the row with the same id and its lists. They must run
 * in one transaction. The gateway itself never writes: this code fills databases for imports, demonstrations and tests.
 */
export function writeStatements(
  { kind, dialect, tenant }: WriteScope,
  rows: WritableRows,
  row: NeutralRow,
): readonly Fragment[] {
  const family = FAMILIES[kind]
  const event = eventsOf(family, rows)
  if (event !== null) return [upsert(family, dialect, tenant, event, row, parentCells(event, row.accountId))]
  const mapping = family.collections[rows as keyof Family['collections']]
  const lists = Object.entries(mapping.lists)
  const idCodec = Object.keys(mapping.fields)[0] ?? ''
  return [
    upsert(family, dialect, tenant, mapping, row, []),
    ...lists.flatMap(([field, child]) =>
      replaceList(family, dialect, tenant, child, row[idCodec], listOf(row[field])),
    ),
  ]
}

function eventsOf({ collections }: Family, rows: WritableRows): ChildMapping | null {
  const { lists } = collections['pos-recurring-account-details']
  if (rows === 'pos-billing-events') return lists.billingEvents ?? null
  return rows === 'pos-status-events' ? (lists.statusEvents ?? null) : null
}

/** A column and the value that is written into it. */
interface Cell {
  readonly column: string
  readonly value: Fragment
}

function parentCells({ parentColumn }: ChildMapping, parentId: unknown): readonly Cell[] {
  return [{ column: parentColumn, value: { text: '?', values: [String(parentId)] } }]
}

function replaceList(
  family: Family,
  dialect: Dialect,
  tenant: string,
  child: ChildMapping,
  parentId: unknown,
  items: readonly unknown[],
): readonly Fragment[] {
  const parent = parentCells(child, parentId)
  const conditions = [...tenantCells(family, tenant), ...parent].map(
    ({ column, value }) => sql`${raw(column)} = ${value}`,
  )
  const inserts = items.map((item, position) => {
    const row = rowOf(child, item)
    const order = child.order.kind === 'position' ? [positionCell(child.order.column, position)] : []
    return upsert(family, dialect, tenant, child, row, [...parent, ...order])
  })
  return [sql`delete from ${raw(child.table)} where ${join(conditions, ' and ')}`, ...inserts]
}

/** The row that stores an item of a list: the item itself, or a row with the item as its only value. */
function rowOf({ valueField }: ChildMapping, item: unknown): NeutralRow {
  return valueField === null ? membersOf(item) : { [valueField]: item }
}

function positionCell(column: string, position: number): Cell {
  return { column, value: { text: '?', values: [position] } }
}

function tenantCells({ tenantColumn }: Family, tenant: string): readonly Cell[] {
  return tenantColumn === null ? [] : [{ column: tenantColumn, value: { text: '?', values: [tenant] } }]
}

function upsert(
  family: Family,
  dialect: Dialect,
  tenant: string,
  mapping: TableMapping,
  row: NeutralRow,
  further: readonly Cell[],
): Fragment {
  const fields = Object.entries(mapping.fields).flatMap(([field, codec]) => {
    const values = codec.write(row[field] ?? null)
    return codec.columns.map(({ name, type }, index) => ({
      column: name,
      value: dialect.value(values[index] ?? null, type),
    }))
  })
  const cells = [...tenantCells(family, tenant), ...further, ...fields]
  const key = keyOf(family, mapping)
  const rest = cells.map(({ column }) => column).filter((column) => !key.includes(column))
  return sql`insert into ${raw(mapping.table)} (${raw(cells.map(({ column }) => column).join(', '))})
    values (${join(
      cells.map(({ value }) => value),
      ', ',
    )})
    on conflict (${raw(key.join(', '))}) do update set ${raw(rest.map((column) => `${column} = excluded.${column}`).join(', '))}`
}

/**
 * The primary key of a table, as in the schema. A row of a list with positions is unique only within its parent, so the
 * parent belongs to the key.
 */
function keyOf({ tenantColumn }: Family, mapping: TableMapping | ChildMapping): readonly string[] {
  const isListed = 'order' in mapping && mapping.order.kind === 'position'
  return [tenantColumn, isListed ? mapping.parentColumn : null, mapping.idColumn].filter(
    (each) => each !== null,
  )
}
