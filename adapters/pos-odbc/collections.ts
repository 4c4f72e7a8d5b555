import { posCollections } from '../../domain/pos/index.ts'
import type { CollectionEndpoint } from '../../domain/record/endpoint.ts'
import { fieldTypeOf } from '../../domain/record/resource.ts'

/** The name of a collection that the gateway serves, newest first: its statements are `NAME.page` and `NAME.one`. */
export type CollectionName = keyof typeof posCollections

/** Every collection that the gateway serves: the rows, filters and order that the routes of the API publish. */
export const COLLECTIONS: Readonly<Record<CollectionName, CollectionEndpoint>> = posCollections

/** Whether the gateway serves a collection of this name. */
export function isCollection(name: string): name is CollectionName {
  return Object.hasOwn(COLLECTIONS, name)
}

/** Whether rows of a collection may have no value in the field that orders them; such rows come last. */
export function orderMayBeNull({ resource, order }: CollectionEndpoint): boolean {
  return fieldTypeOf(resource, order.field).nullable
}
