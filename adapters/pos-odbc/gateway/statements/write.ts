import { sql } from 'kysely'
import type { writtenPosRows } from '../../../../domain/pos/index.ts'
import { listOf, membersOf } from '../../../../domain/text/json.ts'
import { bind, slot, type Statement } from '../../../sql/statement.ts'
import { excluded } from '../../../sql/words.ts'
import type { NeutralRow, SourceKind } from '../../protocol.ts'
import { listsOf, type ChildMapping, type Family, type TableMapping } from '../families/family.ts'
import { FAMILIES } from '../families/index.ts'
import type { ColumnType, RecordedValue } from '../tables/column.ts'
import type { ColumnName } from '../tables/database.ts'
import type { Codec } from '../values/codec.ts'
import type { Dialect } from './dialect.ts'
import { compiledOnce, db, where } from './template.ts'

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
): readonly Statement[] {
  const family = FAMILIES[kind]
  const table = { dialect, owner: tenantCells(family, tenant) }
  const event = eventsOf(family, rows)
  if (event !== null) return [upsert(table, event, row, parentCells(event, row.accountId))]
  const mapping = family.collections[rows as keyof Family['collections']]
  const idCodec = Object.keys(mapping.fields)[0] ?? ''
  return [
    upsert(table, mapping, row, []),
    ...listsOf(mapping).flatMap(([field, child]) =>
      replaceList(table, child, row[idCodec], listOf(row[field])),
    ),
  ]
}

function eventsOf({ collections }: Family, rows: WritableRows): ChildMapping | null {
  const { lists } = collections['pos-recurring-account-details']
  if (rows === 'pos-billing-events') return lists.billingEvents ?? null
  return rows === 'pos-status-events' ? (lists.statusEvents ?? null) : null
}

/** Where rows are written: a database, and the cells that every row of the tenant has. */
interface Destination {
  readonly dialect: Dialect
  readonly owner: readonly Cell[]
}

/** A column and the value that is written into it. */
interface Cell {
  readonly column: ColumnName
  readonly type: ColumnType
  readonly value: RecordedValue
}

function tenantCells({ tenantColumn }: Family, tenant: string): readonly Cell[] {
  return tenantColumn === null ? [] : [{ column: tenantColumn, type: 'text', value: tenant }]
}

function parentCells({ parentColumn }: ChildMapping, parentId: unknown): readonly Cell[] {
  return [{ column: parentColumn, type: 'text', value: String(parentId) }]
}

function replaceList(
  to: Destination,
  child: ChildMapping,
  parentId: unknown,
  items: readonly unknown[],
): readonly Statement[] {
  const parent = parentCells(child, parentId)
  const inserts = items.map((item, position): Statement => {
    const { order } = child
    const place: readonly Cell[] =
      order.kind === 'position' ? [{ column: order.column, type: 'integer', value: position }] : []
    return upsert(to, child, rowOf(child, item), [...parent, ...place])
  })
  return [deleteAll(to, child, [...to.owner, ...parent]), ...inserts]
}

/** The row that stores an item of a list: the item itself, or a row with the item as its only value. */
function rowOf({ valueField }: ChildMapping, item: unknown): NeutralRow {
  return valueField === null ? membersOf(item) : { [valueField]: item }
}

function deleteAll({ dialect }: Destination, { table }: TableMapping, cells: readonly Cell[]): Statement {
  const template = compiledOnce(dialect, `delete ${table}`, () =>
    where(
      db.deleteFrom(table),
      cells.map(({ column }) => sql`${sql.ref(column)} = ${slot(column)}`),
    ),
  )
  return bind(template, valuesOf(cells))
}

function upsert(
  { dialect, owner }: Destination,
  mapping: TableMapping,
  row: NeutralRow,
  further: readonly Cell[],
): Statement {
  const codecs: readonly (readonly [string, Codec])[] = Object.entries(mapping.fields)
  const fields = codecs.flatMap(([field, codec]) => {
    const values = codec.write(row[field] ?? null)
    return codec.columns.map(({ name, type }, index) => ({
      column: name,
      type,
      value: values[index] ?? null,
    }))
  })
  const cells = [...owner, ...further, ...fields]
  const template = compiledOnce(dialect, `upsert ${mapping.table}`, () => {
    const key = [...owner.map(({ column }) => column), ...keyOf(mapping)]
    const rest = cells.map(({ column }) => column).filter((column) => !key.includes(column))
    return db
      .insertInto(mapping.table)
      .values(Object.fromEntries(cells.map(({ column, type }) => [column, dialect.value(column, type)])))
      .onConflict((conflict) => conflict.columns(key).doUpdateSet(excluded(rest)))
  })
  return bind(template, valuesOf(cells))
}

function valuesOf(cells: readonly Cell[]): Readonly<Record<string, RecordedValue>> {
  return Object.fromEntries(cells.map(({ column, value }) => [column, value]))
}

/**
 * The primary key of a table beside its tenant, as in the schema. A row of a list with positions is unique only within
 * its parent, so the parent belongs to the key.
 */
function keyOf(mapping: TableMapping | ChildMapping): readonly ColumnName[] {
  const isListed = 'order' in mapping && mapping.order.kind === 'position'
  return isListed ? [mapping.parentColumn, mapping.idColumn] : [mapping.idColumn]
}
