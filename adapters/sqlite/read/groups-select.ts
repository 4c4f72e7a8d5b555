import type { GroupPosition, GroupsQuery } from '../../../ports/query.ts'
import { name, slot } from '../statement/compiler.ts'
import type { ResultRow } from '../statement/executor.ts'
import { comparison } from '../statement/comparison.ts'
import { indexOf } from '../table/indexes.ts'
import { columnOf, tableOf } from '../table/tables.ts'
import { jsonLine } from './json-line.ts'
import type { RowForm } from './select.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'

/**
 * The rows of a read of groups, in the slots of a page and `afterSum` and `afterValue`: every row of the window is read
 * by its index and added up, and the page is cut from the groups. Throws for a field that is not stored, and for a window
 * that is none.
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
      sql`${name(columnOf(table, field).name)} ${comparison(operator)} ${slot(`${prefix}where${position}`)}`,
  )
  const added = sums.map((field) => sql`sum(${name(columnOf(table, field).name)}) as ${name(field)}`)
  const [first] = sums
  const selected = form === 'columns' ? sql`*` : sql`${jsonLine(groupMembers(sums))} as line`
  return sql<ResultRow>`
    select ${selected} from (
      select ${name(columnOf(table, by).name)} as value, ${sql.join(added)}
      from ${name(table.name)} indexed by ${name(index.name)}
      where organization_id = ${slot('owner')} and ${sql.join(conditions, sql` and `)}
      group by 1
    ) ${startOf(order, name(first), after, prefix)}
    order by ${order === 'sum' ? sql`${name(first)} desc, value is null, value` : sql`value desc`}
    limit +${slot(`${prefix}limit`)}`
}

function groupMembers(sums: GroupsQuery['sums']): Parameters<typeof jsonLine>[0] {
  const added = sums.map((field) => ({ field, storage: 'integer', value: name(field) }) as const)
  return [{ field: 'value', storage: 'text', value: name('value') }, ...added]
}

/** Which groups follow a position. SQLite puts nulls last when it goes down. */
function startOf(
  order: GroupsQuery['order'],
  first: RawBuilder<unknown>,
  after: GroupPosition | null,
  prefix: string,
): RawBuilder<unknown> {
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
