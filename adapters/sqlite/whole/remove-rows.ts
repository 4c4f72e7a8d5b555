import { sql, type Expression, type SqlBool } from 'kysely'
import { references } from '../../../domain/resources/references.ts'
import type { ReferringRows, RowKey, RowsRemoved } from '../../../ports/erasure.ts'
import { openImports } from '../imports/session-row.ts'
import { bind, eb, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { columnOf, tableOf, type Table } from '../table/tables.ts'
import { ofOwner } from '../statement/words.ts'
import { CONDITION_HELD, failsWhen } from '../write/fail-when.ts'
import { moveClock, writableTable } from '../write/upsert.ts'

const given = sql`json_each(${slot('keys')})`

/** How many of the unknown keys are named. */
const NAMED_MAX = 10

/** Removes rows by their keys, all or none. The keys fit into one parameter. */
export async function removeRows(
  executor: Executor,
  organizationId: string,
  collection: string,
  keys: readonly RowKey[],
  now: string,
): Promise<RowsRemoved> {
  const table = writableTable(collection)
  const distinct = [...new Set(keys.map((key) => JSON.stringify(key)))]
  const values = { organizationId, keys: `[${distinct.join()}]` }
  const referring = referringTo(table, collection)
  const problems = [unknownKeys(table), ...referring.map(({ rows }) => rows)]
  const isProblem = problems.map((rows) => sql<SqlBool>`exists (${rows})`)
  const guard = failsWhen(eb.or([...isProblem, eb.exists(openImports)]))
  const remove = template(sql`delete from ${sql.id(table.name)}
    where ${ofOwner} and ${keyOf(table)} in (select ${keyValues(table)} from ${given})`)
  try {
    await executor.batch([bind(guard, values), moveClock(table, organizationId, now), bind(remove, values)])
    return { kind: 'removed', rows: distinct.length }
  } catch (error) {
    if (!CONDITION_HELD.test(String(error))) throw error
  }
  const [unknown, importing, ...counts] = await resultsOf(executor, [
    bind(template(sql<{ readonly key: string }>`${unknownKeys(table)} limit ${sql.lit(NAMED_MAX)}`), values),
    bind(template(openImports.limit(sql.lit(1))), values),
    ...referring.map(({ rows }) =>
      bind(template(sql<{ readonly count: number }>`select count(*) as count from (${rows})`), values),
    ),
  ])
  const [open] = importing.rows
  if (open !== undefined) return { kind: 'importing', importId: open.id }
  const named = unknown.rows.map(({ key }) => JSON.parse(key) as RowKey)
  if (named.length > 0) return { kind: 'unknown', keys: named }
  const by = referring.map(({ collection: from }, index): ReferringRows => {
    return { collection: from, rows: counts[index]?.rows[0]?.count ?? 0 }
  })
  return { kind: 'needed', by: by.filter(({ rows }) => rows > 0) }
}

/** The key of a row, as one SQL value. */
function keyOf({ keyColumns }: Table): Expression<unknown> {
  const columns = keyColumns.map((column) => sql.id(column))
  return columns.length === 1 ? sql.join(columns) : sql`(${sql.join(columns)})`
}

/** The values of a given key, in the order of the key's columns. */
function keyValues({ keyColumns }: Table): Expression<unknown> {
  return sql.join(keyColumns.map((_, index) => sql`value ->> ${sql.lit(index)}`))
}

function unknownKeys(table: Table): Expression<unknown> {
  const isKey = table.keyColumns.map(
    (column, index) => sql`${sql.id('t', column)} = k.value ->> ${sql.lit(index)}`,
  )
  return sql`select k.value as key from ${given} as k where not exists (select 1 from ${sql.id(table.name)} as t
    where t.${ofOwner} and ${sql.join(isKey, sql` and `)})`
}

/** The rows of other collections that refer to the given ones. */
function referringTo(table: Table, collection: string) {
  const place = sql.lit(table.keyColumns.indexOf(table.idColumn))
  return references
    .filter(({ to, from }) => to === collection && from !== collection)
    .map(({ from, by }) => {
      const other = tableOf(from)
      const column = sql.id(columnOf(other, by).name)
      const rows = sql`select 1 from ${sql.id(other.name)} where ${ofOwner}
        and ${column} in (select value ->> ${place} from ${given})`
      return { collection: from, rows }
    })
}
