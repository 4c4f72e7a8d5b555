import { storedFieldShape, type StoredFields } from '../../../domain/record/stored-fields.ts'
import { keysOf } from '../../../domain/text/json.ts'
import type { BoundValue } from '../statement/executor.ts'
import { columnName } from '../database/column-name.ts'
import type { StoredRow } from '../database/stored.ts'

/** Reads and writes the rows of a type. */
export interface RowCodec<Of> {
  /** The columns, in the order of the fields. */
  readonly columns: readonly (keyof StoredRow<Of> & string)[]
  readonly toRow: (value: Of) => StoredRow<Of>
  /** Reads the columns of the fields; a row may have others. */
  readonly fromRow: (row: StoredRow<Of>) => Of
}

/** Makes the codec of a type from its stored fields. */
export function rowCodec<Of extends object>(fields: StoredFields<Of>): RowCodec<Of> {
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
