import { foldBounds } from '../../domain/paging/page-bounds.ts'
import type { OneQuery, PageQuery, Predicate, Scalar, StoredRow } from '../../ports/query.ts'
import type { Statement, StatementResult } from './batch.ts'
import type { Table } from './tables.ts'
import { columnName, columnOf, tableOf } from './tables.ts'

type Parameter = Statement['parameters'][number]

/** SQL with the parameters of its question marks, in order. */
interface Clause {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

const COMPARISONS = { equals: '=', atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const

/** The statement of one row of a tenant. Throws for a collection or field that is not kept. */
export function oneStatement(tenant: string, { collection, select, id }: OneQuery): Statement {
  const table = tableOf(collection)
  return {
    sql: `select ${selected(table, select)} from ${table.name} as t where t.tenant_id = ? and t.${table.idColumn} = ?`,
    parameters: [text(tenant), text(id)],
  }
}

/**
 * The statement of a page of a tenant, newest first: one index is walked from where the page begins. Rows without a
 * time are a part of their own behind the others. Throws for a collection, field or order that is not kept so.
 */
export function pageStatement(tenant: string, query: PageQuery): Statement {
  const { collection, select, order, limit } = query
  if (order.direction !== 'descending') throw new Error('The legacy vendor reads newest first')
  const table = tableOf(collection)
  const { where, seek } = foldBounds(query)
  const time = columnOf(table, order.field)
  const id = columnOf(table, order.idField).sql
  const narrowed: readonly Clause[] = [
    { sql: 't.tenant_id = ?', parameters: [text(tenant)] },
    ...where.map((predicate) => condition(table, predicate)),
  ]
  const part = (more: readonly Clause[]): Clause => {
    const clauses = [...narrowed, ...more]
    return {
      sql: `select ${selected(table, select)} from ${table.name} as t indexed by ${indexOf(table, where, order.field)}
        where ${clauses.map(({ sql }) => sql).join(' and ')} order by ${time.sql} desc, ${id} desc limit ?`,
      parameters: [...clauses.flatMap(({ parameters }) => parameters), limit],
    }
  }
  const untimed: Clause = { sql: `${time.sql} is null`, parameters: [] }
  if (seek?.value === null) return part([untimed, { sql: `${id} < ?`, parameters: [text(seek.id)] }])

  const behind: Clause | null =
    seek === null
      ? null
      : { sql: `(${time.sql}, ${id}) < (?, ?)`, parameters: [scalar(seek.value), text(seek.id)] }
  const begin = behind === null ? [] : [behind]
  // A bound on the time leaves out the rows without one.
  if (!time.nullable || where.some(({ field }) => field === order.field)) return part(begin)
  // Every time lies above the empty text: SQLite seeks by it, where it would walk through the nulls for IS NOT NULL.
  const timed = part([...begin, { sql: `${time.sql} >= ''`, parameters: [] }])
  const rest = part([untimed])
  return {
    sql: `select * from (${timed.sql}) union all select * from (${rest.sql}) limit ?`,
    parameters: [...timed.parameters, ...rest.parameters, limit],
  }
}

/** The rows that a statement answered, as the port hands them over. */
export function decodeRows(
  collection: string,
  select: readonly string[],
  { results }: StatementResult,
): readonly StoredRow[] {
  const table = tableOf(collection)
  const columns = select.map((field) => columnOf(table, field))
  return results.map((row) =>
    Object.fromEntries(
      columns.map(({ field, storage }) => {
        const value = row[field] ?? null
        if (storage === 'boolean' && value !== null) return [field, value === 1]
        return [field, storage === 'json' && typeof value === 'string' ? JSON.parse(value) : value]
      }),
    ),
  )
}

function selected(table: Table, select: readonly string[]): string {
  return select
    .map((field) => `${columnOf(table, field).sql} as "${columnOf(table, field).field}"`)
    .join(', ')
}

/** The index that leaves the fewest rows to be tested one by one, in the order of the page. */
function indexOf(table: Table, where: readonly Predicate[], orderField: string): string {
  const equal = where.filter(({ operator }) => operator === 'equals').map(({ field }) => field)
  const narrowing = table.narrowing.find((fields) => fields.every((field) => equal.includes(field))) ?? []
  return [table.name, ...narrowing.map(columnName), columnName(orderField)].join('_')
}

function condition(table: Table, { field, operator, value }: Predicate): Clause {
  if (operator === 'contains') throw new Error(`The legacy vendor does not search the list ${field}`)
  return { sql: `${columnOf(table, field).sql} ${COMPARISONS[operator]} ?`, parameters: [scalar(value)] }
}

function scalar(value: Scalar): Parameter {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? text(value) : value
}

/** SQLite keeps UTF-8, which has no form for a lone surrogate. */
function text(value: string): string {
  return value.toWellFormed()
}
