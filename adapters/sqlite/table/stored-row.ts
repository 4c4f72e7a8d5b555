import {
  storedFieldShape,
  keyFields,
  organizationFields,
  type StoredFields,
} from '../../../domain/record/account-fields.ts'
import { keysOf } from '../../../domain/text/encoding.ts'
import type { BoundValue } from '../statement/executor.ts'
import { columnName, type ColumnName, type StoredRow } from '../statement/database.ts'
import type { StoredKey, Organization } from '../../../ports/organizations.ts'

/** Reads and writes the rows of a type. */
interface RowCodec<Of> {
  /** The columns, in the order of the fields. */
  readonly columns: readonly (keyof StoredRow<Of> & string)[]
  readonly toRow: (value: Of) => StoredRow<Of>
  /** Reads the columns of the fields; a row may have others. */
  readonly fromRow: (row: StoredRow<Of>) => Of
}

/** Makes the codec of a type from its stored fields. */
function rowCodec<Of extends object>(fields: StoredFields<Of>): RowCodec<Of> {
  const mapped = keysOf(fields).map((field) => {
    const { storage } = storedFieldShape(fields[field])
    return { field, column: columnName(field), storage }
  })
  return {
    columns: mapped.map(({ column }) => column as keyof StoredRow<Of> & string),
    toRow(value) {
      const row: Record<string, BoundValue> = {}
      for (const { field, column, storage } of mapped) row[column] = encoded(value[field], storage)
      // The types of the columns follow from those of the fields by the same rules that `encoded` follows.
      return row as StoredRow<Of>
    },
    fromRow(row) {
      const stored: Readonly<Record<string, unknown>> = row
      const value: Record<string, unknown> = {}
      for (const { field, column, storage } of mapped) value[field] = decoded(stored[column], storage)
      return value as Of
    },
  }
}

type Storage = ReturnType<typeof storedFieldShape>['storage']

function encoded(value: unknown, storage: Storage): BoundValue {
  if (value === null) return null
  if (storage === 'boolean') return Number(value)
  return storage === 'json' ? JSON.stringify(value) : (value as BoundValue)
}

function decoded(stored: unknown, storage: Storage): unknown {
  if (stored === null) return null
  if (storage === 'boolean') return stored === 1
  return storage === 'json' ? JSON.parse(stored as string) : stored
}

/** Row of the table `api_keys`. */
export type KeyRow = StoredRow<StoredKey>

/** Row of the table `organizations`, without its clock. */
export type OrganizationRow = StoredRow<Organization>

export const { columns: keyColumns, fromRow: keyFromRow, toRow: keyToRow } = rowCodec<StoredKey>(keyFields)

const organizations = rowCodec<Organization>(organizationFields)
export const { fromRow: organizationFromRow, toRow: organizationToRow } = organizations

/** The columns of `organizations` that hold an organization's settings. */
export const settingColumns = organizations.columns.filter((column) => column !== 'organization_id')

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
