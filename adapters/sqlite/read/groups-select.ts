import { sql, type Expression, type RawBuilder } from 'kysely'
import type { GroupPosition, GroupsQuery } from '../../../ports/records.ts'
import { slot } from '../statement/compiler.ts'
import type { ResultRow } from '../statement/executor.ts'
import { comparison } from '../../sql/words.ts'
import { indexOf } from '../table/indexes.ts'
import { columnOf, tableOf } from '../table/tables.ts'
import { jsonLine } from './json-line.ts'
import type { RowForm } from './select.ts'

/**
 * The SQL of a query for groups, in the slots of a page and `afterSum` and `afterValue`. Every row of the time window
 * is read by its index and added up, and the page is cut from the groups. Throws for a field that is not stored, and
 * for a query without a time window.
 */
export function groupsSelect(
  { collection, by, where, sums, order, after }: GroupsQuery,
  form: RowForm,
  prefix: string,
): RawBuilder<ResultRow> {
  const table = tableOf(collection)
  const window = where.find(({ operator }) => operator !== 'equals')
  if (window === undefined) throw new Error(`Groups of all ${collection} there are`)
  const index = indexOf(table, where, window.field)
  const conditions = where.map(
    ({ field, operator }, position) =>
      sql`${sql.id(columnOf(table, field).name)} ${comparison(operator)} ${slot(`${prefix}where${position}`)}`,
  )
  const added = sums.map((field) => sql`sum(${sql.id(columnOf(table, field).name)}) as ${sql.id(field)}`)
  const [first] = sums
  const selected = form === 'columns' ? sql`*` : sql`${jsonLine(groupMembers(sums))} as line`
  return sql<ResultRow>`
    select ${selected} from (
      select ${sql.id(columnOf(table, by).name)} as value, ${sql.join(added)}
      from ${sql.id(table.name)} indexed by ${sql.id(index.name)}
      where organization_id = ${slot('owner')} and ${sql.join(conditions, sql` and `)}
      group by 1
    ) ${startOf(order, sql.id(first), after, prefix)}
    order by ${order === 'sum' ? sql`${sql.id(first)} desc, value is null, value` : sql`value desc`}
    limit +${slot(`${prefix}limit`)}`
}

function groupMembers(sums: GroupsQuery['sums']): Parameters<typeof jsonLine>[0] {
  const added = sums.map((field) => ({ field, storage: 'integer', value: sql.id(field) }) as const)
  return [{ field: 'value', storage: 'text', value: sql.id('value') }, ...added]
}

/** The condition on the groups that follow a position. In descending order, SQLite puts nulls last. */
function startOf(
  order: GroupsQuery['order'],
  first: Expression<unknown>,
  after: GroupPosition | null,
  prefix: string,
): Expression<unknown> {
  if (after === null) return sql``
  if (order === 'value') {
    return after.value === null
      ? sql`where false`
      : sql`where value < ${slot(`${prefix}afterValue`)} or value is null`
  }
  const tie =
    after.value === null ? sql`false` : sql`(value > ${slot(`${prefix}afterValue`)} or value is null)`
  return sql`where ${first} < ${slot(`${prefix}afterSum`)} or (${first} = ${slot(`${prefix}afterSum`)} and ${tie})`
}
