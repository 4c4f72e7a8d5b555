import { endpoints } from '../contract/catalog.ts'
import type { Endpoint } from '../contract/endpoint.ts'

/** Where the id of a resource's row stands in a path: behind this prefix. */
interface Place {
  readonly collection: string
  readonly prefix: string
}

const all: readonly Endpoint[] = endpoints
const places = all.flatMap(placesOf)
const reserved = new Map(
  places.map(({ collection, prefix }) => {
    const own = places.filter((place) => place.collection === collection).map((place) => place.prefix)
    return [collection, new Set([...own, prefix].flatMap(literalsBehind))] as const
  }),
)

/**
 * Whether no row of a collection may have this id, because a route has the word where the id would stand: a voucher
 * `redemptions` could not be retrieved, for `/vouchers/redemptions` is another route.
 */
export function isReservedId(collection: string, id: string): boolean {
  return reserved.get(collection)?.has(id) ?? false
}

function placesOf(endpoint: Endpoint): readonly Place[] {
  if (endpoint.kind === 'operation') return []
  const parent =
    endpoint.parent === null ? [] : [placeOf(endpoint.path, endpoint.parent.param, endpoint.parent.resource)]
  return endpoint.kind === 'detail'
    ? [...parent, placeOf(endpoint.path, endpoint.param, endpoint.resource)]
    : parent
}

function placeOf(path: string, param: string, { collection }: { readonly collection: string }): Place {
  return { collection, prefix: path.slice(0, path.indexOf(`{${param}}`)) }
}

function literalsBehind(prefix: string): readonly string[] {
  return all
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length).split('/')[0] ?? '')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
}
