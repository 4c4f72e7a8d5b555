import { sql, type AnyColumn, type AnyColumnWithTable, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Position } from '../../../ports/records.ts'
import { atMost, slot, template, type Template } from './compiler.ts'

/** Where a list begins: before every row of one that ascends, and behind every instant in one that descends. */
export const FIRST: Position = { value: '', id: '' }
export const LATEST: Position = { value: '9999', id: '' }

type ColumnOf<Tables, Of extends keyof Tables> = AnyColumn<Tables, Of> | AnyColumnWithTable<Tables, Of>

/**
 * The rows of a page in the order of two columns, after the position in the slots `value` and `id`, at most as many as
 * the slot `limit` says. An index that has the columns in this order gives them.
 */
export function paged<Tables, Of extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Of, Row>,
  columns: readonly [value: ColumnOf<Tables, Of>, id: ColumnOf<Tables, Of>],
  direction: 'asc' | 'desc',
): Template<Row> {
  const [value, id] = [sql.ref(columns[0]), sql.ref(columns[1])]
  const sign = sql.raw(direction === 'asc' ? '>' : '<')
  const follows = sql<SqlBool>`(${value}, ${id}) ${sign} (${slot('value')}, ${slot('id')})`
  return template(rows.where(follows).orderBy(value, direction).orderBy(id, direction).limit(atMost('limit')))
}
