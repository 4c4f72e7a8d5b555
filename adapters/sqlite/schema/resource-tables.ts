import type { StorageType } from '../../../domain/record/field.ts'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import type { ResourceField } from '../../../domain/record/resource-field.ts'
import type { StoredFieldShape } from '../../../domain/record/stored-fields.ts'
import { columnName } from '../database/column-name.ts'
import { tableName } from '../table/tables.ts'
import type { ColumnShape, TableShape } from './shape.ts'

/** The column with which every table of tenant data begins. */
export const OWNER = 'organization_id'

const columnTypes: Readonly<Record<StorageType, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  boolean: 'INTEGER',
  json: 'TEXT',
}

const owner: ColumnShape = { name: OWNER, type: 'TEXT', notNull: true, byDefault: null }

/** The table of a stored resource: the organization, then the stored fields, then virtual columns. */
export function tableShape(resource: Resource): TableShape {
  const name = tableName(resource.collection)
  const stored = storedFields(resource).map(([field, entry]) => columnShape(field, entry))
  return {
    name,
    columns: [owner, ...stored],
    key: [OWNER, ...resource.key.map(columnName)],
    withoutRowid: false,
    strict: true,
  }
}

function columnShape(name: string, entry: ResourceField): ColumnShape {
  const { storage, nullable } = entry.field
  const isTally = entry.origin === 'assigned' && entry.tally !== null
  // A row is inserted without its tallies, which triggers then compute.
  const byDefault = !isTally || nullable ? null : storage === 'json' ? "'[]'" : '0'
  return { ...shapeOf(name, entry.field), byDefault }
}

/** The column of a field, without a default. */
export function shapeOf(field: string, { storage, nullable }: StoredFieldShape): ColumnShape {
  return { name: columnName(field), type: columnTypes[storage], notNull: !nullable, byDefault: null }
}
