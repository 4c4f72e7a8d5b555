import { endpoints } from '../catalog.ts'
import type { Endpoint } from '../record/endpoint.ts'

/** A place in a path at which the id of a row of a collection follows a prefix. */
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
 * Whether a collection may not have a row of this id, because another route has this word in the place of the id: a
 * voucher `redemptions` could not be retrieved, because `/vouchers/redemptions` is another route.
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
