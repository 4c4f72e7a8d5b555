import { endpoints } from '../../catalog.ts'
import type { Endpoint } from '../../record/endpoint.ts'
import type { Resource } from '../../record/resource.ts'

/** A place in a path at which the id of a row of a collection follows a prefix. */
interface Place {
  /** The collection and the field of the id, as `nameOf` joins them. */
  readonly id: string
  readonly prefix: string
}

const all: readonly Endpoint[] = endpoints
const places = all.flatMap(placesOf)
const reserved = new Map(
  places.map(({ id, prefix }) => {
    const own = places.filter((place) => place.id === id).map((place) => place.prefix)
    return [id, new Set([...own, prefix].flatMap(literalsBehind))] as const
  }),
)

/** Segments that every program resolves before it sends a path, however they are encoded. */
const DIRECTIONS = ['.', '..']

/**
 * Whether a collection may not have a row with this id in this field, because no request could name it: a voucher
 * `redemptions` could not be retrieved, because `/vouchers/redemptions` is another route, nor a voucher `..`, because
 * `/vouchers/..` is sent as `/`.
 */
export function isReservedId(collection: string, field: string, id: string): boolean {
  const words = reserved.get(nameOf(collection, field))
  return words !== undefined && (words.has(id) || DIRECTIONS.includes(id))
}

function placesOf(endpoint: Endpoint): readonly Place[] {
  if (endpoint.kind === 'operation') return []
  const parent =
    endpoint.parent === null ? [] : [placeOf(endpoint.path, endpoint.parent.param, endpoint.parent.resource)]
  return endpoint.kind === 'detail'
    ? [...parent, placeOf(endpoint.path, endpoint.param, endpoint.resource)]
    : parent
}

function placeOf(path: string, param: string, { collection, idField }: Resource): Place {
  return { id: nameOf(collection, idField), prefix: path.slice(0, path.indexOf(`{${param}}`)) }
}

function nameOf(collection: string, field: string): string {
  return `${collection} ${field}`
}

function literalsBehind(prefix: string): readonly string[] {
  return all
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length).split('/')[0] ?? '')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
}
