import { sql, type Expression, type RawBuilder } from 'kysely'
import type { ResultRow } from '../statement/executor.ts'
import { columnOf, type JoinedColumn, type Table } from '../table/tables.ts'
import { columnName } from '../database/column-name.ts'
import { jsonLine, type JsonMember } from './json-line.ts'

/** How a row is selected: a column for each field under the field's name, or one column `line` of JSON. */
export type RowForm = 'columns' | 'line'

/** `select … from … as t`, with a left join for each pair of a joined collection and the reference to it. */
export function selectFrom(
  table: Table,
  select: readonly string[],
  form: RowForm,
  from: Expression<unknown> = sql`${sql.id(table.name)} as t`,
): RawBuilder<ResultRow> {
  const aliases = new Map<string, string>()
  const joins: Expression<unknown>[] = []
  const members = select.map((field): JsonMember => {
    const join = table.joins.get(field)
    if (join === undefined) return stored(table, field)
    const key = `${join.collection} ${join.by}`
    const alias = aliases.get(key) ?? `j${aliases.size}`
    if (!aliases.has(key)) joins.push(leftJoin(table, join, alias))
    aliases.set(key, alias)
    return { field, storage: join.storage, value: sql.id(alias, columnName(join.field)) }
  })
  const columns = members.map(({ field, value }) => sql`${value} as ${sql.id(field)}`)
  const selected = form === 'columns' ? sql.join(columns) : sql`${jsonLine(members)} as line`
  return sql<ResultRow>`select ${selected} from ${from} ${sql.join(joins, sql` `)}`
}

function stored(table: Table, field: string): JsonMember {
  const { name: column, storage, expression } = columnOf(table, field)
  return { field, storage, value: expression === null ? sql.id('t', column) : sql.raw(expression) }
}

function leftJoin(table: Table, join: JoinedColumn, alias: string): Expression<unknown> {
  return sql`left join ${sql.id(join.table)} as ${sql.id(alias)}
    on ${sql.id(alias, table.ownerColumn)} = ${sql.id('t', table.ownerColumn)}
    and ${sql.id(alias, join.idColumn)} = ${sql.id('t', columnOf(table, join.by).name)}`
}
