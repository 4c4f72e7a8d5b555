import type { StoredRow } from '../../../ports/records.ts'
import { isPublishedAsStored, serializer, type Resource } from '../../record/resource.ts'

type Publisher = (row: StoredRow) => StoredRow

/** The serializers of each resource, without and with codes. Each is made only once. */
const made = new WeakMap<Resource, [plain?: Publisher, withCodes?: Publisher]>()

/**
 * Returns a function that turns a stored row of a resource into the published one. Null: a row that storage wrote as
 * JSON already has its published form.
 * @param read the fields of the rows, in order
 */
export async function publisherOf(
  resource: Resource,
  codes: boolean,
  read: readonly string[],
): Promise<Publisher | null> {
  if (isPublishedAsStored(resource, codes, read)) return null
  await resource.prepare?.()
  return serializerOf(resource, codes)
}

/** The resource's serializer. */
function serializerOf(resource: Resource, codes: boolean): Publisher {
  const known = made.get(resource) ?? []
  made.set(resource, known)
  return (known[codes ? 1 : 0] ??= serializer(resource, codes))
}
