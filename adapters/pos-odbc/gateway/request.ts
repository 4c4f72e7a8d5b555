import { parseInstant } from '../../../domain/text/instant.ts'
import type {
  CollectionName,
  Filter,
  OneParameters,
  PageParameters,
  ReadRequest,
  SourcePosition,
} from '../protocol.ts'
import { COLLECTIONS, SOURCE_KINDS, isCollection } from '../protocol.ts'
import { GatewayError } from './errors.ts'

/** A request to read whose statement is on the list and whose parameters are of the right types. */
export type CheckedRequest = { readonly source: ReadRequest['source'] } & (
  | { readonly kind: 'page'; readonly collection: CollectionName; readonly parameters: PageParameters }
  | { readonly kind: 'one'; readonly collection: CollectionName; readonly parameters: OneParameters }
)

/** Longest text of a parameter, in UTF-16 units. */
const TEXT_LENGTH_MAX = 1_000

/** Reads the body of a request. Throws a `GatewayError` that names what is wrong, never a value. */
export function parseReadRequest(body: string): CheckedRequest {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    throw new GatewayError('invalid_request', 'The body is no JSON')
  }
  const { source, statement, parameters } = objectOf(json, 'body', ['source', 'statement', 'parameters'])
  const checkedSource = sourceOf(source)
  if (typeof statement !== 'string') throw invalidParameter('statement')
  const [, collection = '', kind] = /^(.*)\.(page|one)$/.exec(statement) ?? []
  if (!isCollection(collection)) {
    throw new GatewayError('unknown_statement', 'The statement is not on the list')
  }
  if (kind === 'one') {
    const { id } = objectOf(parameters, 'parameters', ['id'])
    return { source: checkedSource, kind, collection, parameters: { id: textOf(id, 'id') } }
  }
  return { source: checkedSource, kind: 'page', collection, parameters: pageOf(collection, parameters) }
}

function sourceOf(value: unknown): ReadRequest['source'] {
  const { kind, tenant } = objectOf(value, 'source', ['kind', 'tenant'])
  const known = SOURCE_KINDS.find((each) => each === kind)
  if (known === undefined) throw invalidParameter('source.kind')
  return { kind: known, tenant: textOf(tenant, 'source.tenant') }
}

function pageOf(name: CollectionName, value: unknown): PageParameters {
  const { filters, after, limit } = objectOf(value, 'parameters', ['filters', 'after', 'limit'])
  const declared: Readonly<Record<string, Filter>> = COLLECTIONS[name].filters
  const given = objectOf(filters, 'filters', Object.keys(declared))
  const checked = Object.entries(given).map(([key, each]) => {
    const filter = declared[key]
    if (filter === undefined) throw invalidParameter(`filters.${key}`)
    return [key, filterValue(filter, each, `filters.${key}`)] as const
  })
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) throw invalidParameter('limit')
  return { filters: Object.fromEntries(checked), after: positionOf(name, after), limit }
}

function filterValue({ type }: Filter, value: unknown, path: string): string | boolean {
  if (type === 'text') return textOf(value, path)
  if (type === 'instant') return instantOf(value, path)
  if (typeof value !== 'boolean') throw invalidParameter(path)
  return value
}

function positionOf(name: CollectionName, value: unknown): SourcePosition | null {
  if (value === null) return null
  const position = objectOf(value, 'after', ['value', 'id'])
  const id = textOf(position.id, 'after.id')
  if (id.includes('\0') || !id.isWellFormed()) throw invalidParameter('after.id')
  if (position.value === null && COLLECTIONS[name].orderMayBeNull) return { value: null, id }
  return { value: instantOf(position.value, 'after.value'), id }
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== 'string' || value.length > TEXT_LENGTH_MAX) throw invalidParameter(path)
  return value
}

/** An instant in the one form in which they are recorded: compared as text, another spelling would sort elsewhere. */
function instantOf(value: unknown, path: string): string {
  if (typeof value !== 'string' || parseInstant(value, 'down') !== value) throw invalidParameter(path)
  return value
}

/** An object with these keys and no others; keys of `filters` may be left out, so a missing one is undefined. */
function objectOf(value: unknown, path: string, keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidParameter(path)
  if (Object.keys(value).some((key) => !keys.includes(key))) throw invalidParameter(path)
  return value as Readonly<Record<string, unknown>>
}

function invalidParameter(path: string): GatewayError {
  return new GatewayError('invalid_parameter', `${path} is not of the right type`)
}
