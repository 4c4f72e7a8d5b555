import type { StorageType } from '../../../domain/record/field.ts'
import { contacts } from '../../../domain/resources/contacts/contacts.ts'
import type { StoredRow } from '../../../ports/records.ts'
import type { CallDirectus } from './api.ts'

const CHUNK = 500

/** Directus's types for the fields of a contact. It stores booleans and JSON in the types that SQLite has. */
const TYPES: Readonly<Record<StorageType, string>> = {
  text: 'string',
  integer: 'integer',
  real: 'float',
  boolean: 'boolean',
  json: 'json',
}

/**
 * Creates the collections that the cases use, with the fields and rows that the service has, and an index for the order
 * of the list.
 */
export async function fillDirectus(call: CallDirectus, rows: readonly StoredRow[]): Promise<void> {
  const published = Object.entries(contacts.fields)
  const fields = published.map(([name, { field }]) => {
    if (name === contacts.idField) return primaryKey(name)
    const isTime = name.endsWith('At')
    return {
      field: name,
      type: isTime ? 'timestamp' : TYPES[field.storage],
      schema: { is_nullable: true, is_indexed: name === 'createdAt' },
    }
  })
  await call('/collections', { collection: 'contacts', schema: {}, meta: {}, fields })
  await call('/collections', {
    collection: 'form_submissions',
    schema: {},
    meta: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
      { field: 'formId', type: 'string', schema: {} },
      { field: 'answers', type: 'json', schema: {}, meta: { special: ['cast-json'] } },
      { field: 'submittedAt', type: 'timestamp', schema: {}, meta: { special: ['date-created'] } },
    ],
  })
  for (let start = 0; start < rows.length; start += CHUNK) {
    const items = rows.slice(start, start + CHUNK).map((row) => itemOf(row, published))
    await call('/items/contacts', items)
  }
}

function primaryKey(name: string): object {
  return { field: name, type: 'string', schema: { is_primary_key: true, length: 255 } }
}

function itemOf(row: StoredRow, published: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(published.map(([name]) => [name, row[name] ?? null]))
}
