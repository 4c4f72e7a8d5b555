import type { BoundValue, Executor } from '../../../adapters/sqlite/index.ts'
import type { MovedTable } from '../../../ports/placement.ts'

/** Texts and numbers that are difficult to copy exactly. */
const TEXTS = [
  '',
  'nul\u0000inside',
  'emoji \u{1f600} \u{10ffff}',
  '"quoted" \\u0000 \\',
  '\u0001\n\t\u007f',
  'é ﬀ \ue000',
  '1e3',
]
const INTEGERS = [0, -1, 9007199254740991, -9007199254740991, 1_000_000_000_000_000]
const REALS = [0.1, -0.1, 1e15, 1e21, 5e-324, 1.7976931348623157e308, -0, 2, 123456789.12345679]

/**
 * Stores rows in every table that moves, `count` for each organization, without firing triggers. The first organization
 * is the root of the family, the others are its children.
 */
export async function oddFamily(
  executor: Executor,
  tables: readonly MovedTable[],
  organizationIds: readonly string[],
  count: number,
): Promise<void> {
  const [triggers] = await executor.batch([
    { sql: `select name, sql from sqlite_master where type = 'trigger'`, parameters: [] },
  ])
  const all = (triggers?.rows ?? []) as unknown as readonly { readonly name: string; readonly sql: string }[]
  const types = await columnTypes(executor, tables)
  await executor.batch([
    ...all.map(({ name }) => ({ sql: `drop trigger "${name}"`, parameters: [] })),
    ...tables.flatMap((table) =>
      organizationIds.flatMap((organizationId) => {
        const given: Record<string, BoundValue> =
          table.name === 'organizations' ? { parent_id: parentOf(organizationId, organizationIds) } : {}
        // An organization has one row where nothing else is in the key.
        return Array.from({ length: table.key.length === 1 ? 1 : count }, (_, index) =>
          insertOf(table, { ...oddRow(table, types, organizationId, index), ...given }),
        )
      }),
    ),
    ...all.map(({ sql }) => ({ sql, parameters: [] })),
  ])
}

function parentOf(organizationId: string, [root]: readonly string[]): string | null {
  return organizationId === root ? null : (root ?? null)
}

interface ColumnType {
  readonly type: string
  readonly notnull: number
}

async function columnTypes(
  executor: Executor,
  tables: readonly MovedTable[],
): Promise<ReadonlyMap<string, ColumnType>> {
  const results = await executor.batch(
    tables.map(({ name }) => ({
      sql: `select name, type, "notnull" from pragma_table_info('${name}')`,
      parameters: [],
    })),
  )
  return new Map(
    tables.flatMap(({ name: table }, place) =>
      (results[place]?.rows ?? []).map((row): [string, ColumnType] => [
        `${table}.${String(row.name)}`,
        row as unknown as ColumnType,
      ]),
    ),
  )
}

/** Columns with a unique index. Their values consist of the organization and a number. */
const UNIQUE = new Set(['slug', 'form_id', 'processor_id', 'key_id', 'kind', 'state'])

function oddRow(
  table: MovedTable,
  types: ReadonlyMap<string, ColumnType>,
  organizationId: string,
  index: number,
): Record<string, BoundValue> {
  const values = table.columns.map((column, place): [string, BoundValue] => {
    if (column === 'organization_id') return [column, organizationId]
    // Triggers read these lists, and a clock is moved on.
    if (column === 'tags' || column === 'site_ids') return [column, '[]']
    if (column === 'clock_at') return [column, '2026-01-01T00:00:00.000Z']
    const type = types.get(`${table.name}.${column}`)
    const seed = index * 7 + place
    const isKey = table.key.includes(column)
    if (type?.type === 'INTEGER') return [column, isKey ? index : odd(INTEGERS, seed, type)]
    if (type?.type === 'REAL') return [column, odd(REALS, seed, type)]
    if (isKey || UNIQUE.has(column)) return [column, `${organizationId}/${index}${odd(TEXTS, seed, null)}`]
    return [column, odd(TEXTS, seed, type ?? null)]
  })
  return Object.fromEntries(values)
}

function odd<Value extends string | number>(
  values: readonly Value[],
  seed: number,
  type: ColumnType | null,
): Value | null {
  if (type?.notnull === 0 && seed % 5 === 0) return null
  return values[seed % values.length] ?? null
}

function insertOf({ name, columns }: MovedTable, row: Readonly<Record<string, BoundValue>>) {
  const places = columns.map(() => '?').join()
  return {
    sql: `insert into "${name}" (${columns.map((column) => `"${column}"`).join()}) values (${places})`,
    parameters: columns.map((column) => row[column] ?? null),
  }
}
