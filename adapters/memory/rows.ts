import type { StorageType } from '../../domain/contract/field.ts'
import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import type { StoredRow } from '../../ports/query.ts'
import type { KeptRow } from './state.ts'

type Kept = KeptRow[string]

const keptTypes = {
  text: 'string',
  integer: 'number',
  real: 'number',
  boolean: 'boolean',
  json: 'string',
} as const

/** A given row as it is kept, without assigned fields. Throws when a value does not fit its field. */
export function keepRow(resource: Resource, row: StoredRow): KeptRow {
  const kept: Record<string, Kept> = {}
  for (const [name, { origin, field }] of storedFields(resource)) {
    if (origin === 'assigned') continue
    const value = keep(row[name] ?? null, field.storage)
    if (value === null ? !field.nullable : typeof value !== keptTypes[field.storage]) {
      throw new Error(`${resource.collection}.${name} cannot hold ${JSON.stringify(value)}`)
    }
    kept[name] = value
  }
  return kept
}

function keep(value: unknown, storage: StorageType): Kept {
  if (value === null) return null
  if (storage === 'json') return JSON.stringify(value)
  // Stores encode text as UTF-8, which has no form for a lone surrogate.
  return typeof value === 'string' ? value.toWellFormed() : (value as Kept)
}

/** What tells a row from the others of its collection. */
export function keyOfRow({ key }: Resource, row: KeptRow): string {
  const parts = key.map((field) => row[field])
  return parts.length === 1 ? String(parts[0]) : JSON.stringify(parts)
}

/** Whether both rows have the same content; assigned fields do not count. */
export function sameContent(resource: Resource, left: KeptRow, right: KeptRow): boolean {
  return storedFields(resource).every(
    ([name, { origin }]) => origin === 'assigned' || left[name] === right[name],
  )
}

/** How a field of a resource is read: from the row itself, or from the row it refers to. */
export type RowReader = (row: KeptRow) => unknown

/**
 * Reads one selected field. Throws for a field that the resource neither stores nor joins.
 * @param rowsOf the tenant's rows of a collection
 */
export function fieldReader(
  resource: Resource,
  name: string,
  rowsOf: (collection: string) => ReadonlyMap<string, KeptRow>,
): RowReader {
  const shown = resource.fields[name]
  const entry = shown?.origin === 'joined' ? shown : (resource.hidden[name] ?? shown)
  if (entry === undefined || entry.origin === 'computed')
    throw new Error(`${resource.collection} stores no field ${name}`)
  const { storage } = entry.field
  if (entry.origin !== 'joined') return (row) => unkeep(row[name] ?? null, storage)
  const { collection, by, field } = entry.join
  return (row) => {
    const id = row[by]
    const other = typeof id === 'string' ? rowsOf(collection).get(id) : undefined
    return unkeep(other?.[field] ?? null, storage)
  }
}

function unkeep(value: Kept, storage: StorageType): unknown {
  return storage === 'json' && typeof value === 'string' ? (JSON.parse(value) as unknown) : value
}
