import type {
  AliasableExpression,
  Expression,
  InsertQueryBuilder,
  InsertResult,
  RawBuilder,
  SqlBool,
} from 'kysely'
import { keysOf } from '../../../domain/text/encoding.ts'
import { db, slot } from './compiler.ts'
import { columnName, type ColumnName, type Database } from './database.ts'

/** A slot for the value of each field, under the name of its column: `{ key_id: slot('keyId') }`. */
export function slotsOf<const Field extends string>(
  fields: readonly Field[],
): Readonly<Record<ColumnName<Field>, RawBuilder<never>>> {
  const slots = fields.map((field) => [columnName(field), slot(field)])
  return Object.fromEntries(slots) as Record<ColumnName<Field>, RawBuilder<never>>
}

/** Inserts one row, if a condition holds: `insert into … (…) select … where …`. */
export function insertWhen<Table extends keyof Database, Column extends keyof Database[Table] & string>(
  table: Table,
  row: Readonly<Record<Column, AliasableExpression<unknown>>>,
  condition: Expression<SqlBool>,
): InsertQueryBuilder<Database, Table, InsertResult> {
  const columns = keysOf(row)
  const values = columns.map((column) => row[column].as(column))
  return db.insertInto(table).columns(columns).expression(db.selectNoFrom(values).where(condition))
}
