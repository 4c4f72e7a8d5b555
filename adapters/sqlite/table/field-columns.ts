import { keysOf } from '../../../domain/text/json.ts'
import type { StoredFields } from '../../../domain/record/stored-fields.ts'
import { columnName, type ColumnName } from '../database/column-name.ts'

/** For each field, its column under the field's name. */
type Aliases<Field extends string> = readonly { [Name in Field]: `${ColumnName<Name>} as ${Name}` }[Field][]

/** The columns of fields under the names of the fields, for a select of the builder: `key_id as keyId`. */
export function aliasesFor<const Field extends string>(fields: readonly Field[]): Aliases<Field> {
  return fields.map((field) => `${columnName(field)} as ${field}` as const)
}

/** The columns of a type under the names of its fields. */
export function aliasesOf<Row>(fields: StoredFields<Row>): Aliases<keyof Row & string> {
  return aliasesFor(keysOf(fields))
}
