import type { Expression } from 'kysely'
import { sql } from 'kysely'
import { keysOf } from '../../../domain/text/keys-of.ts'
import type { StoredFields } from '../../../domain/record/stored-fields.ts'
import type { ColumnName } from '../database/column-name.ts'
import { columnName } from '../database/column-name.ts'
import { slot } from '../statement/compiler.ts'

/** The column of each field of a row. A row type with a field that has no column here does not compile. */
export type FieldColumns<Row> = Readonly<Record<keyof Row & string, string>>

/** The columns of the fields of a record, by the names of the fields. */
export function columnsOf<Fields extends object>(fields: Fields): FieldColumns<Fields> {
  const columns: Record<string, string> = {}
  for (const field of keysOf(fields)) columns[field] = columnName(field)
  return columns as FieldColumns<Fields>
}

/** The columns of a type under the names of its fields, for a select of the builder: `key_id as keyId`. */
export function aliasesOf<Row>(
  fields: StoredFields<Row>,
): readonly { [Name in keyof Row & string]: `${ColumnName<Name>} as ${Name}` }[keyof Row & string][] {
  return keysOf(fields).map((field) => `${columnName(field)} as ${field}` as const)
}

/** The columns, separated by commas, for the head of an insert. */
export function columnList(columns: Readonly<Record<string, string>>): Expression<unknown> {
  return sql.join(Object.values(columns).map((column) => sql.id(column)))
}

/** The columns under the names of their fields, for a select: `"key_id" as "keyId"`. */
export function fieldList(columns: Readonly<Record<string, string>>): Expression<unknown> {
  const selected = Object.entries(columns).map(([field, column]) =>
    field === column ? sql.id(column) : sql`${sql.id(column)} as ${sql.id(field)}`,
  )
  return sql.join(selected)
}

/**
 * The values of an insert, in the order of `columnList`.
 * @param given the SQL for the values of some fields; all others are slots with the names of their fields
 */
export function valueList<Field extends string>(
  columns: Readonly<Record<Field, string>>,
  given?: Readonly<Partial<Record<NoInfer<Field>, Expression<unknown>>>>,
): Expression<unknown> {
  const values = new Map(Object.entries<Expression<unknown> | undefined>({ ...given }))
  return sql.join(Object.keys(columns).map((field) => values.get(field) ?? slot(field)))
}
