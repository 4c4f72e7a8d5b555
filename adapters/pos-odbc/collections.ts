import { posCollections } from '../../domain/pos/index.ts'
import type { CollectionEndpoint } from '../../domain/record/endpoint.ts'
import type { Field } from '../../domain/record/field.ts'

/** The name of a collection that the gateway serves, newest first: its statements are `NAME.page` and `NAME.one`. */
export type CollectionName = keyof typeof posCollections

/** Every collection that the gateway serves: the rows, filters and order that the routes of the API publish. */
export const COLLECTIONS: Readonly<Record<CollectionName, CollectionEndpoint>> = posCollections

/** Whether the gateway serves a collection of this name. */
export function isCollection(name: string): name is CollectionName {
  return Object.hasOwn(COLLECTIONS, name)
}

/** A stored field of a collection's rows: a published one, or one that only filters use. */
export function fieldOf({ resource }: CollectionEndpoint, name: string): Field {
  const entry = resource.fields[name] ?? resource.hidden[name]
  if (entry === undefined) throw new Error(`${resource.collection} has no field ${name}`)
  return entry.field
}

/** Whether rows of a collection may have no value in the field that orders them; such rows come last. */
export function orderMayBeNull(collection: CollectionEndpoint): boolean {
  return fieldOf(collection, collection.order.field).nullable
}
