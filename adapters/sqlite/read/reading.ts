import { sql, type RawBuilder } from 'kysely'
import type { OneQuery, PageQuery, ReadQuery, Scalar } from '../../../ports/records.ts'
import { slot } from '../statement/compiler.ts'
import type { BoundValue, ResultRow } from '../statement/executor.ts'
import type { TableSet } from '../table/table-set.ts'
import { groupsSelect } from './groups-select.ts'
import { foldBounds, type PageBounds } from '../../../domain/read/plan/page-bounds.ts'
import { mayStop, pageSelect } from './page-select.ts'
import { selectFrom, type RowForm } from './select.ts'

/** A read of one owner's rows before it is compiled, alone or as part of a larger statement. */
export interface Reading {
  /** Identifies the SQL: reads of the same shape differ only in their values. */
  readonly shape: string
  /** The fields of its rows, in order. */
  readonly fields: readonly string[]
  /** Whether its rows have the column `STOPPED_AT`. Throws as `select` does. */
  readonly mayStop: () => boolean
  /** The SQL of its rows, in the slot `owner` and slots of its own, whose names begin with the prefix. */
  readonly select: (form: RowForm, prefix: string) => RawBuilder<ResultRow>
  /** The values of its own slots, by their names without the prefix. */
  readonly values: Readonly<Record<string, BoundValue>>
}

/** Prepares a read. Throws for a collection or field that is not stored, when the SQL is made. */
export function readingOf(tables: TableSet, query: ReadQuery): Reading {
  switch (query.kind) {
    case 'one':
      return oneReading(tables, query)
    case 'page':
      return pageReading(tables, query)
    case 'groups':
      return {
        shape: groupsShape(query),
        fields: ['value', ...query.sums],
        mayStop: () => false,
        select: (form, prefix) => groupsSelect(query, form, prefix),
        values: {
          limit: query.limit,
          ...whereValues(query.where),
          ...(query.after === null ? {} : { afterSum: query.after.sum, afterValue: query.after.value }),
        },
      }
  }
}

function groupsShape({ collection, by, where, sums, order, after }: Extract<ReadQuery, { kind: 'groups' }>) {
  const start = after === null ? '' : after.value === null ? ' nulls' : ' seek'
  return `groups|${collection}|${by}|${operators(where)}|${sums.join()}|${order}${start}`
}

function oneReading(tables: TableSet, { collection, select, id }: OneQuery): Reading {
  return {
    shape: `one|${collection}|${select.join()}`,
    fields: select,
    mayStop: () => false,
    select: (form, prefix) => {
      const table = tables.tableOf(collection)
      return sql`${selectFrom(table, select, form)}
        where ${sql.id('t', table.ownerColumn)} = ${slot('owner')}
          and ${sql.id('t', table.idColumn)} = ${slot(`${prefix}id`)}`
    },
    values: { id },
  }
}

function pageReading(tables: TableSet, query: PageQuery): Reading {
  const bounds = foldBounds(query)
  const { where, seek } = bounds
  const { looksAtMax } = query
  const indexOfPage = () => tables.indexOf(tables.tableOf(query.collection), where, query.order.field)
  return {
    shape: pageShape(query, bounds),
    fields: query.select,
    mayStop: () => mayStop(indexOfPage(), query, bounds),
    select: (form, prefix) =>
      pageSelect(tables.tableOf(query.collection), indexOfPage(), query, bounds, form, prefix),
    values: {
      limit: query.limit,
      ...(looksAtMax === undefined ? {} : { looksAtMax }),
      ...whereValues(where),
      ...(seek === null ? {} : { seekValue: seek.value, seekId: seek.id }),
    },
  }
}

function pageShape(
  { collection, select, order, looksAtMax }: PageQuery,
  { where, seek }: PageBounds,
): string {
  const start = seek === null ? '' : seek.value === null ? ' nulls' : ' seek'
  const ordered = `${order.field} ${order.idField} ${order.direction}${start}`
  const kind = looksAtMax === undefined ? 'page' : 'walk'
  return `${kind}|${collection}|${select.join()}|${operators(where)}|${ordered}`
}

function operators(where: PageQuery['where']): string {
  return where.map(({ field, operator }) => `${field} ${operator}`).join()
}

function whereValues(where: PageQuery['where']): Record<string, BoundValue> {
  const values: Record<string, BoundValue> = {}
  where.forEach(({ value }, index) => (values[`where${index}`] = scalar(value)))
  return values
}

function scalar(value: Scalar): BoundValue {
  return typeof value === 'boolean' ? Number(value) : value
}
