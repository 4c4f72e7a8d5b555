import * as v from 'valibot'
import type { CollectionEndpoint } from '../../../../domain/record/endpoint.ts'
import type { Filter } from '../../../../domain/record/filter.ts'
import { fieldTypeOf } from '../../../../domain/record/resource.ts'
import { parseInstant } from '../../../../domain/text/instant.ts'
import { parsedOr } from '../../../../domain/text/json.ts'
import { isStorableText } from '../../../../domain/text/storable-text.ts'
import { COLLECTIONS, isCollection, orderMayBeNull, type CollectionName } from '../../collections.ts'
import {
  SOURCE_KINDS,
  type OneParameters,
  type PageParameters,
  type GatewayRequest,
  type SourcePosition,
} from '../../protocol.ts'
import { GatewayError } from '../errors.ts'
import { NoList } from '../no-list.ts'

/** A request to read with a known statement and parameters of the right types. */
export type CheckedRequest = { readonly source: GatewayRequest['source'] } & (
  | { readonly kind: 'page'; readonly collection: CollectionName; readonly parameters: PageParameters }
  | { readonly kind: 'one'; readonly collection: CollectionName; readonly parameters: OneParameters }
)

/** Longest text of a parameter, in UTF-16 units. */
const TEXT_LENGTH_MAX = 1_000

const Text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX))

/**
 * An instant in the form in which instants are recorded. They are compared as text, so an instant in another form would
 * sort wrongly.
 */
const Instant = v.pipe(
  v.string(),
  v.check((text) => parseInstant(text) === text),
)

const Body = v.strictObject({
  source: v.strictObject({ kind: v.picklist(SOURCE_KINDS), tenant: Text }),
  statement: v.string(),
  parameters: v.unknown(),
})

const One: v.GenericSchema<unknown, OneParameters> = v.strictObject({ id: Text })

/** The parameters of a page, by what the collection declares. */
function pageOf(collection: CollectionEndpoint): v.GenericSchema<unknown, PageParameters> {
  const filters: Readonly<Record<string, v.GenericSchema<unknown, string | boolean>>> = Object.fromEntries(
    Object.entries(collection.filters).map(([name, filter]) => [
      name,
      v.exactOptional(filterValue(collection, filter)),
    ]),
  )
  return v.strictObject({
    filters: v.pipe(NoList, v.strictObject(filters)),
    after: v.nullable(positionOf(collection)),
    limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
  })
}

/** The schema of a filter's value. Any text can be compared; only values that the field's type excludes are refused. */
function filterValue(
  { resource }: CollectionEndpoint,
  { field, operator }: Filter,
): v.GenericSchema<unknown, string | boolean> {
  if (operator !== 'equals') return Instant
  return fieldTypeOf(resource, field).storage === 'boolean' ? v.boolean() : Text
}

function positionOf(collection: CollectionEndpoint): v.GenericSchema<unknown, SourcePosition> {
  return v.strictObject({
    value: orderMayBeNull(collection) ? v.nullable(Instant) : Instant,
    // A text that no database can store would be compared as another text.
    id: v.pipe(Text, v.check(isStorableText)),
  })
}

/** Reads the body of a request. Throws a `GatewayError` that names what is wrong, never a value. */
export function parseReadRequest(body: string): CheckedRequest {
  const given = parsedOr(body, undefined)
  if (given === undefined) throw new GatewayError('invalid_request', 'The body is no JSON')
  const { source, statement, parameters } = checked(Body, given, 'body')
  const [, collection = '', kind] = /^(.*)\.(page|one)$/.exec(statement) ?? []
  if (!isCollection(collection)) {
    throw new GatewayError('unknown_statement', 'The statement is not on the list')
  }
  if (kind === 'one') return { source, kind, collection, parameters: checked(One, parameters, 'parameters') }
  const page = pageOf(COLLECTIONS[collection])
  return { source, kind: 'page', collection, parameters: checked(page, parameters, 'parameters') }
}

/** @param whole the name of the value in the error, where none of its keys is at fault */
function checked<Output>(schema: v.GenericSchema<unknown, Output>, value: unknown, whole: string): Output {
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  if (parsed.success) return parsed.output
  const [{ path = [], expected }] = parsed.issues
  // An unexpected key is text from the caller and must not be quoted, so the object that contains it is named instead.
  const named = expected === 'never' ? path.slice(0, -1) : path
  const name = named.length === 0 ? whole : named.map(({ key }) => String(key)).join('.')
  throw new GatewayError('invalid_parameter', `${name} is not of the right type`)
}
