import type { StorageType } from '../../domain/contract/field.ts'
import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resources } from '../../domain/resources/index.ts'
import { toInstant } from '../../domain/text/instant.ts'
import type { StoredRow } from '../../ports/query.ts'

const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z')

/** How many values a field other than an id or a time takes, so that a filter on it leaves a share of the rows. */
const VARIETY = 4

const collectionOfId = new Map([
  ...resources
    .filter(({ key }) => key.length === 1)
    .map(({ idField, collection }) => [idField, collection] as const),
  ['surveyId', 'surveys'] as const,
])

/**
 * A row of any resource, complete, with every field filled. Times tie in pairs and run against the ids; a field
 * named like another resource's id refers to one of its first rows.
 */
export function generatedRow(resource: Resource, index: number): StoredRow {
  const entries = storedFields(resource)
    .filter(([, { origin }]) => origin !== 'assigned')
    .map(([name, { field }]) => [name, generatedValue(resource, name, field.storage, index)])
  return Object.fromEntries(entries) as StoredRow
}

function generatedValue(resource: Resource, name: string, storage: StorageType, index: number): unknown {
  if (name === resource.alternateKey) return idOf(resource.collection, index)
  if (name === resource.idField) {
    // One part of a key of several is another resource's id, and rows of some resources share the name of theirs.
    const isWhole = resource.key.length === 1
    return idOf(isWhole ? resource.collection : (collectionOfId.get(name) ?? resource.collection), index)
  }
  if (storage === 'json') return name.endsWith('Ids') ? [generatedId(name.slice(0, -1), index)] : {}
  if (name === 'isDeleted' || name === 'isPreview') return false
  if (storage === 'boolean') return index % 2 === 0
  if (storage !== 'text') return index % VARIETY
  if (name.endsWith('At')) return toInstant(FIRST_MS + Math.floor((1_000_000 - index) / 2) * 1000)
  return generatedId(name, index)
}

/** The id of one of the first rows of the resource that a field is named after, else one of a few texts. */
function generatedId(name: string, index: number): string {
  const referred = collectionOfId.get(name)
  return referred === undefined ? `${name} ${index % VARIETY}` : idOf(referred, index % VARIETY)
}

function idOf(collection: string, index: number): string {
  return `${collection}-${String(index).padStart(7, '0')}`
}
