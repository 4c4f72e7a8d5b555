import { sql } from 'kysely'
import { readFileSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { writtenPosRows } from '../../../domain/pos/index.ts'
import { listOf, membersOf } from '../../../domain/text/encoding.ts'
import { bind, slot, excluded, type Statement } from '../../sql/statement.ts'
import type { NeutralRow, SourceKind } from '../protocol.ts'
import type { Codec } from './codec.ts'
import { DIALECTS, compiledOnce, db, where, type Dialect } from './statements.ts'
import { listsOf, MAPPINGS, type ChildMapping, type SourceMapping, type TableMapping } from './mappings.ts'
import type { ColumnType, RecordedValue, ColumnName } from './tables.ts'

/** A kind of rows that can be put into a source. Events belong to a recurring account: they carry its accountId. */
export type WritableRows = keyof typeof writtenPosRows

/** A source's database on this machine, open for writing. */
interface EmbeddedSource {
  /**
   * Inserts rows in the neutral form, replacing those with the same ids, all or none of them. Returns how many of them
   * are new or changed.
   * @param tenant the tenant's name within a shared source; unused where the database is its own
   */
  write(tenant: string, rows: WritableRows, values: Iterable<NeutralRow>): number
  close(): void
}

/** Opens the database of an embedded source, and creates it from the schema when it is missing. */
export function openEmbeddedSource(kind: SourceKind, file: string): EmbeddedSource {
  const database = new DatabaseSync(file)
  // With a write-ahead log, readers can read while rows are written.
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000')
  inTransaction(database, () => {
    const made = database.prepare("select 1 from sqlite_master where type = 'table' limit 1").get()
    if (made === undefined) database.exec(sqliteSchema(kind))
  })
  const scope = { kind, dialect: DIALECTS.sqlite }
  const prepared = new Map<string, StatementSync>()
  const run = ({ sql, parameters }: Statement): void => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    statement.run(...parameters)
  }
  return {
    write(tenant, rows, values) {
      let changed = 0
      inTransaction(database, () => {
        for (const row of values) {
          const isChanged = changes(database, () => {
            writeStatements({ ...scope, tenant }, rows, row).forEach(run)
          })
          changed += Number(isChanged)
        }
      })
      return changed
    },
    close: () => {
      database.close()
    },
  }
}

/** The text of the schema of a source on SQLite. */
function sqliteSchema(kind: SourceKind): string {
  const file = `${kind.replace('_', '-')}.sqlite.sql`
  return readFileSync(fileURLToPath(new URL(`../schema/${file}`, import.meta.url)), 'utf8')
}

/** Whether the work changed anything. Rows that are deleted and inserted again unchanged do not count. */
function changes(database: DatabaseSync, work: () => void): boolean {
  const session = database.createSession()
  try {
    work()
    return session.changeset().length > 0
  } finally {
    session.close()
  }
}

function inTransaction(database: DatabaseSync, run: () => void): void {
  database.exec('begin immediate')
  try {
    run()
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** The tenant whose rows are written. Only a shared source uses it. */
interface WriteScope {
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
  const source = MAPPINGS[kind]
  const table = { dialect, owner: tenantCells(source, tenant) }
  const event = eventsOf(source, rows)
  if (event !== null) return [upsert(table, event, row, parentCells(event, row.accountId))]
  const mapping = source.collections[rows as keyof SourceMapping['collections']]
  const idCodec = Object.keys(mapping.fields)[0] ?? ''
  return [
    upsert(table, mapping, row, []),
    ...listsOf(mapping).flatMap(([field, child]) =>
      replaceList(table, child, row[idCodec], listOf(row[field])),
    ),
  ]
}

function eventsOf({ collections }: SourceMapping, rows: WritableRows): ChildMapping | null {
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

function tenantCells({ tenantColumn }: SourceMapping, tenant: string): readonly Cell[] {
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
