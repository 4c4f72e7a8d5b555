import {
  keyFields,
  operatorKeyFields,
  organizationFields,
  storedFieldShape,
} from '../../../domain/record/stored-fields.ts'
import { shapeOf } from './resource-tables.ts'
import type { ColumnShape, IndexShape, TableShape } from './shape.ts'

const text = (name: string, more: Partial<ColumnShape> = {}): ColumnShape => ({
  name,
  type: 'TEXT',
  notNull: false,
  byDefault: null,
  ...more,
})

/** The tables of organizations and of keys, with the columns that no port shows. */
export const accountTables: readonly TableShape[] = [
  accountTable('organizations', 'organization_id', organizationFields, [
    // The latest updated_at given out in this organization. Every batch that writes moves it strictly forward.
    text('clock_at', { notNull: true, byDefault: "'0000-01-01T00:00:00.000Z'" }),
  ]),
  accountTable('api_keys', 'key_id', keyFields, [
    // What an earlier version of the service inserts has an issuer that nobody recorded.
    text('issued_by', { byDefault: "'unknown'" }),
  ]),
  accountTable('operator_keys', 'key_id', operatorKeyFields, [
    // Names the proof of the root secret on which the key was issued, so that no proof is used twice.
    text('proof'),
    // When all that descends from the key was ended.
    text('descent_ended_at'),
  ]),
]

/** The indexes of these tables. */
export const accountIndexes: readonly IndexShape[] = [
  accountIndex('organizations_slug', 'organizations', ['slug'], true),
  accountIndex('api_keys_created', 'api_keys', ['organization_id', 'created_at', 'key_id']),
  accountIndex('api_keys_issued_by', 'api_keys', ['issued_by', 'organization_id']),
  accountIndex('operator_keys_created', 'operator_keys', ['created_at', 'key_id']),
  accountIndex('operator_keys_proof', 'operator_keys', ['proof'], true),
  accountIndex('operator_keys_issued_by', 'operator_keys', ['issued_by']),
]

function accountIndex(name: string, table: string, columns: readonly string[], unique = false): IndexShape {
  return { name, table, columns, unique, where: null }
}

/** @param more columns that no port shows, or that differ from what follows from the field */
function accountTable(
  name: string,
  key: string,
  fields: Readonly<Record<string, Parameters<typeof storedFieldShape>[0]>>,
  more: readonly ColumnShape[],
): TableShape {
  const stored = Object.entries(fields).map(([field, word]) => shapeOf(field, storedFieldShape(word)))
  const byName = new Map([...stored, ...more].map((column) => [column.name, column]))
  return {
    name,
    columns: [...byName.values()],
    key: [key],
    withoutRowid: false,
    strict: true,
  }
}
