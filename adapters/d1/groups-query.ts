import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { GroupPosition, GroupsQuery } from '../../ports/query.ts'
import type { BoundValue, Template } from './compiler.ts'
import { bind, slot, template } from './compiler.ts'
import type { Statement } from './executor.ts'
import { indexOf } from './indexes.ts'
import { columnOf, name, tableOf } from './tables.ts'

const COMPARISONS = { equals: '=', atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const

/**
 * The statement of a read of groups, of one organization: every row of the window is read by its index and added up, and
 * the page is cut from the groups. Throws for a field that is not stored, and for a window that is none.
 */
export function groupsStatement(organizationId: string, query: GroupsQuery): Statement {
  const { where, after, limit } = query
  const values: Record<string, BoundValue> = { organizationId, limit }
  where.forEach(({ value }, index) => (values[`where${index}`] = typeof value === 'boolean' ? +value : value))
  if (after !== null) {
    values.afterSum = after.sum
    values.afterValue = after.value
  }
  return bind(compile(query), values)
}

function compile({ collection, by, where, sums, order, after }: GroupsQuery): Template {
  const table = tableOf(collection)
  const window = where.find(({ operator }) => operator !== 'equals')
  if (window === undefined) throw new Error(`Groups of all ${collection} there are`)
  const index = indexOf(table, where, window.field)
  const conditions = where.map(
    ({ field, operator }, position) =>
      sql`${name(columnOf(table, field).name)} ${sql.raw(comparison(operator))} ${slot(`where${position}`)}`,
  )
  const added = sums.map((field) => sql`sum(${name(columnOf(table, field).name)}) as ${name(field)}`)
  const [first] = sums
  return template(sql`
    select * from (
      select ${name(columnOf(table, by).name)} as value, ${sql.join(added)}
      from ${name(table.name)} indexed by ${name(index.name)}
      where organization_id = ${slot('organizationId')} and ${sql.join(conditions, sql` and `)}
      group by 1
    ) ${behind(order, name(first), after)}
    order by ${order === 'sum' ? sql`${name(first)} desc, value is null, value` : sql`value desc`}
    limit ${slot('limit')}`)
}

function comparison(operator: GroupsQuery['where'][number]['operator']): string {
  if (operator === 'contains') throw new Error('Groups cannot be narrowed by what a list contains')
  return COMPARISONS[operator]
}

/** Which groups follow a position. SQLite puts nulls last when it goes down. */
function behind(
  order: GroupsQuery['order'],
  first: RawBuilder<unknown>,
  after: GroupPosition | null,
): RawBuilder<unknown> {
  if (after === null) return sql``
  if (order === 'value') {
    return after.value === null ? sql`where false` : sql`where value < ${slot('afterValue')} or value is null`
  }
  const tie = after.value === null ? sql`false` : sql`(value > ${slot('afterValue')} or value is null)`
  return sql`where ${first} < ${slot('afterSum')} or (${first} = ${slot('afterSum')} and ${tie})`
}
