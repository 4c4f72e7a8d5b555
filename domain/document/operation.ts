import type { CollectionEndpoint, Endpoint, GroupsEndpoint, ReadEndpoint } from '../record/endpoint.ts'
import type { Filter } from '../record/filter.ts'
import { termOf } from './glossary.ts'
import {
  jsonSchemaOf,
  wordsWithNull,
  explained,
  requestSchemaOf,
  withAnyKeys,
  withBareWords,
  exampleOf,
  fits,
  type JsonSchema,
  type ParameterObject,
  type Resolve,
} from './json-schema.ts'
import { componentName } from '../record/meaning.ts'
import type {
  Media,
  OperationEndpoint,
  RequestBody,
  ResponseDeclaration,
  ResponseHeader,
  SharedResponse,
} from '../record/operation.ts'
import { capabilityRefused, AUTH_SCHEME } from '../record/reply.ts'
import { idMaxLength } from '../record/field.ts'
import type { OrganizationRole, Access } from '../record/description.ts'
import type * as v from 'valibot'
import * as prose from './prose.ts'

/** One operation of the document. */
export function operationObject(endpoint: Endpoint, resolve: Resolve): Node {
  const parts = endpoint.kind === 'operation' ? operationParts(endpoint, resolve) : readParts(endpoint)
  return {
    operationId: endpoint.id.replace('.', '_'),
    summary: endpoint.summary,
    description: describe(endpoint),
    tags: [endpoint.tag],
    ...(endpoint.deprecated === true ? { deprecated: true } : {}),
    security: securityOf(endpoint.access),
    ...parts,
    'x-codeSamples': codeSamples({
      method: endpoint.method,
      path: endpoint.path,
      access: endpoint.access,
      parameters: parts.parameters,
      body: endpoint.kind === 'operation' ? endpoint.body?.example : undefined,
    }),
  }
}

/** The name of the schema for the page of a collection, or of groups. */
export function pageName({ resource, parent }: CollectionEndpoint | GroupsEndpoint): string {
  return parent === null ? `${resource.name}Page` : `${resource.name}PageOf${parent.resource.name}`
}

/** The schema of a value that may be null too. */
export function nullableSchemaOf(of: v.GenericSchema): JsonSchema {
  const schema = jsonSchemaOf(of)
  return { ...schema, ...wordsWithNull(schema), type: [schema.type, 'null'] }
}

/** The description of an endpoint: what is derived from its record, followed by what the record says itself. */
function describe(endpoint: Endpoint): string {
  const own = endpoint.description ?? ''
  switch (endpoint.kind) {
    case 'collection': {
      const { order, syncOrder } = endpoint
      const sync =
        syncOrder === null
          ? ''
          : ` With \`updatedAfter\` or \`updatedBefore\`: oldest change first, by \`${syncOrder.field}\`.`
      return `A page, newest first by \`${order.field}\`.${sync} ${own}`.trim()
    }
    case 'groups': {
      const { defaultGrouping, groups } = endpoint
      return `A page of sums over a window of time, by \`${defaultGrouping}\` unless \`groupBy\` says otherwise: \`${groups.dayGrouping}\` newest first, else the most \`${groups.sums[0]}\` first. ${own}`.trim()
    }
    case 'detail':
      return `One \`${endpoint.resource.name}\` by its identifier. ${own}`.trim()
    case 'operation':
      return [
        own === '' ? `${endpoint.summary}.` : own,
        ...roleSentence(endpoint.access, endpoint.openTo),
      ].join(' ')
  }
}

/** The sentence on the role that an operator needs for an operation. Empty for an endpoint of the public interface. */
function roleSentence(access: Endpoint['access'], openTo: OrganizationRole | null): readonly string[] {
  const people =
    openTo === null
      ? ''
      : ` In their organizations, people with the role \`owner\`${openTo === 'member' ? ' or `member`' : ''} may too.`
  switch (access) {
    case 'signed_in':
      return ['Whoever is signed in may do it.']
    case 'support':
      return [`Any operator may do it.${people}`]
    case 'admin':
    case 'admin_or_root_secret':
      return [`It needs the role \`admin\`.${people}`]
    case 'public':
    case 'tenant':
    case 'tenant_or_platform':
      return []
  }
}

/** The ways to prove that one may call an endpoint, any of which is enough. */
export function securityOf(access: Endpoint['access']): readonly Readonly<Record<string, readonly []>>[] {
  switch (access) {
    case 'public':
      return []
    case 'tenant':
      return [{ tenantKey: [] }]
    case 'tenant_or_platform':
      return [{ tenantKey: [] }, { platformKey: [] }]
    case 'signed_in':
    case 'support':
    case 'admin':
      return [{ operatorKey: [] }, { session: [] }]
    case 'admin_or_root_secret':
      return [{ operatorKey: [] }, { session: [] }, { rootSecretProof: [] }]
  }
}

function readParts(endpoint: ReadEndpoint): Parts {
  const isPage = endpoint.kind !== 'detail'
  return {
    parameters: [
      ...pathParameters(endpoint.path),
      ...(isPage ? pageParameters(endpoint) : []),
      ...(endpoint.offersCodes ? [prose.codesParameter] : []),
      ...(isPage ? Object.entries(endpoint.filters).map(filterParameter) : []),
    ],
    responses: {
      '200': {
        ...deprecationHeaders(endpoint),
        description: isPage ? 'A page of the collection.' : `The \`${endpoint.resource.name}\`.`,
        content: {
          'application/json': { schema: reference(isPage ? pageName(endpoint) : endpoint.resource.name) },
        },
      },
      ...failuresOf(endpoint),
    },
  }
}

/** The failures of a read. The replies of a deprecated read to a caller who may use it have the deprecation headers. */
function failuresOf(endpoint: ReadEndpoint): Node {
  const { headers } = deprecationHeaders(endpoint)
  const failure = (name: keyof typeof prose.sharedResponses): Node => {
    if (headers === undefined) return shared(name)
    const response: Node = prose.sharedResponses[name]
    return { ...response, headers: { ...(response['headers'] as Node | undefined), ...headers } }
  }
  return {
    '400': failure('BadRequest'),
    ...commonResponses(endpoint),
    '429': failure('TooManyRequests'),
    ...(mayBeMissing(endpoint) ? { '404': failure('NotFound') } : {}),
    '500': failure('InternalError'),
    ...(endpoint.rowsFrom === 'storage' ? {} : { '502': failure('SourceUnavailable') }),
  }
}

function deprecationHeaders({ deprecation }: ReadEndpoint): { readonly headers?: Node } {
  return deprecation === null ? {} : { headers: prose.deprecationHeaders(deprecation) }
}

function pageParameters(endpoint: CollectionEndpoint | GroupsEndpoint): readonly ParameterObject[] {
  const limit = prose.limitParameter(endpoint.maxLimit)
  if (endpoint.kind === 'groups') return [limit, prose.groupsCursorParameter]
  const { order, syncOrder, sorts } = endpoint
  const sortable = sorts.length > 0
  return [
    limit,
    prose.cursorParameter(syncOrder !== null, sortable),
    ...(sortable ? prose.sortParameters(sorts, order) : []),
  ]
}

/**
 * Whether a read can answer 404: a row, a parent, or the organization's own source can be missing. A plain collection
 * exists even when it is empty.
 */
function mayBeMissing(endpoint: ReadEndpoint): boolean {
  return endpoint.kind === 'detail' || endpoint.parent !== null || endpoint.rowsFrom === 'pos'
}

function filterParameter([name, filter]: readonly [string, Filter]): ParameterObject {
  const schema = jsonSchemaOf(filter.schema)
  return {
    name,
    in: 'query',
    description: `${filter.description} The value ${filter.allowed}.`,
    schema,
    example: filterExample(name, filter, schema),
  }
}

/**
 * The glossary's example, when the filter does not refuse it; else the filter's own example, in the type of the schema.
 */
function filterExample(name: string, filter: Filter, schema: JsonSchema): unknown {
  const known = termOf([name])?.[1]
  const isTaken = typeof known === 'string' && filter.read(known).kind !== 'invalid'
  const text = isTaken ? known : filter.example
  return schema.type === 'string' || Array.isArray(schema.enum) ? text : JSON.parse(text)
}

/** The parameters, the request body and the responses of an operation, from its declaration. */
function operationParts(endpoint: OperationEndpoint, resolve: Resolve): Parts {
  const { path, query, headers, body } = endpoint
  const responses = Object.entries(endpoint.responses).map(
    ([status, response]) => [status, responseObject(response, resolve)] as const,
  )
  return {
    parameters: [
      ...pathParameters(path),
      ...Object.entries(headers).map((entry) => parameterObject('header', entry, resolve)),
      ...Object.entries(query ?? {}).map((entry) => parameterObject('query', entry, resolve)),
    ],
    ...(body === null ? {} : { requestBody: requestBodyObject(body) }),
    responses: { ...commonResponses(endpoint), ...Object.fromEntries(responses) },
  }
}

interface Parameter {
  readonly description: string
  readonly schema: v.GenericSchema
  readonly example?: string
}

function parameterObject(
  place: 'header' | 'query',
  [name, { description, schema: declared, example }]: readonly [string, Parameter],
  resolve: Resolve,
): ParameterObject {
  const schema = withBareWords(jsonSchemaOf(declared))
  return { name, in: place, description, schema, example: example ?? parameterExample(name, schema, resolve) }
}

function parameterExample(name: string, schema: JsonSchema, resolve: Resolve): unknown {
  const known = termOf([name])?.[1]
  return known !== undefined && fits(known, schema) ? known : exampleOf(schema, resolve)
}

function requestBodyObject({ description, contentTypes, schema, otherKeys, example }: RequestBody): Node {
  const others =
    otherKeys === undefined
      ? {}
      : { patternProperties: { [otherKeys.pattern]: requestSchemaOf(otherKeys.schema) } }
  const media = { schema: { ...explained(requestSchemaOf(schema), []), ...others }, example }
  const content = Object.fromEntries(contentTypes.map((type) => [type, media]))
  return { required: true, description, content }
}

function responseObject(response: ResponseDeclaration | SharedResponse, resolve: Resolve): Node {
  if (typeof response === 'string') return shared(response)
  const { description, headers, content } = response
  return {
    description,
    ...(headers === undefined ? {} : { headers: mapValues(headers, headerObject) }),
    ...(content === undefined ? {} : { content: mapValues(content, (media) => mediaObject(media, resolve)) }),
  }
}

function headerObject(header: ResponseHeader): Node {
  const { description, schema, isOptional = false } = header
  return { required: !isOptional, schema: jsonSchemaOf(schema), description }
}

/**
 * The media object of a body. A named schema has its examples where the document defines it, so they are left out here.
 */
function mediaObject({ schema: declared, example }: Media, resolve: Resolve): Node {
  const name = componentName(declared)
  const given = example === undefined ? {} : { example }
  if (name !== null) return { schema: reference(name), ...given }
  const schema = explained(withAnyKeys(jsonSchemaOf(declared)), [])
  return { schema, example: exampleOf(schema, resolve), ...given }
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Node,
): Readonly<Record<string, Node>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

/** The parts of the description that reads and operations share. */

/** A part of the document. */
type Node = Readonly<Record<string, unknown>>

/** The inputs and the replies of an endpoint. */
interface Parts {
  readonly parameters: readonly ParameterObject[]
  readonly requestBody?: Node
  readonly responses: Node
}

/** Refers to a schema of the document. */
export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Refers to a response of the document. */
function shared(name: SharedResponse): Node {
  return { $ref: `#/components/responses/${name}` }
}

/** The failures that follow from who may call an endpoint. */
function commonResponses({ access, requires }: Pick<Endpoint, 'access' | 'requires'>): Node {
  const needsAdmin = access === 'admin' || access === 'admin_or_root_secret'
  const lacks = requires !== null && capabilityRefused(requires).status === 403
  return {
    ...(access === 'public' ? {} : { '401': shared('Unauthorized') }),
    ...(needsAdmin || lacks ? { '403': shared('Forbidden') } : {}),
    ...(access === 'tenant' || access === 'tenant_or_platform' ? { '429': shared('TooManyRequests') } : {}),
    '500': shared('InternalError'),
  }
}

/** The parameters that a path contains in braces. */
function pathParameters(path: string): readonly ParameterObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const [meaning, example] = termOf(['path', name]) ?? ['The identifier.']
    return {
      name,
      in: 'path',
      required: true,
      description: `${meaning} Percent-encoded where it needs to be.`,
      schema: { type: 'string', minLength: 1, maxLength: idMaxLength },
      example: example ?? name,
    }
  })
}

/** A parameter of an operation as the document describes it. */
interface SampleParameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
}

/** The call of an operation that its samples show. */
interface SampleCall {
  readonly method: string
  readonly path: string
  readonly access: Access
  readonly parameters: readonly SampleParameter[]
  /** The body's example; undefined: there is none. */
  readonly body: unknown
}

/** Query parameters that a sample shows: only a few, and none whose value comes from an earlier call. */
const SHOWN_QUERY = ['limit', 'updatedAfter', 'start', 'status']
const SHOWN_QUERY_MAX = 2

/**
 * The call in curl and in TypeScript, for the extension `x-codeSamples`. `BASE` and `KEY` stand for the host and a key;
 * `client` is an openapi-fetch client with types generated from the document.
 */
function codeSamples(call: SampleCall): readonly JsonSchema[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(call) },
  ]
}

function curl({ method, path, access, parameters, body }: SampleCall): string {
  const query = shownQuery(parameters).map(({ name, example }) => `${name}=${encoded(example)}`)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(exampleIn(parameters, name)))
  const url = `"$BASE${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`
  return [
    method === 'GET' ? `curl ${url}` : `curl -X ${method} ${url}`,
    ...(access === 'public' ? [] : [`-H "Authorization: ${AUTH_SCHEME} $KEY"`]),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ')
}

function typescript({ method, path, parameters, body }: SampleCall): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const params = [
    ...(inPath.length === 0 ? [] : [`path: ${literal(inPath)}`]),
    ...(shownQuery(parameters).length === 0 ? [] : [`query: ${literal(shownQuery(parameters))}`]),
  ]
  const options = [
    ...(params.length === 0 ? [] : [`params: { ${params.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: ${indentedLiteral(body)}`]),
  ]
  const given = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`
  return `const { data, error } = await client.${method}('${path}'${given})`
}

/** JSON over several lines, with quotes around property names only where they are needed. */
function indentedLiteral(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
  return lines.replaceAll('\n', '\n  ')
}

function shownQuery(parameters: readonly SampleParameter[]): readonly SampleParameter[] {
  return SHOWN_QUERY.flatMap((name) =>
    parameters.filter((parameter) => parameter.in === 'query' && parameter.name === name),
  ).slice(0, SHOWN_QUERY_MAX)
}

function exampleIn(parameters: readonly SampleParameter[], name: string): unknown {
  return parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.example
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value))
}

function literal(parameters: readonly SampleParameter[]): string {
  return `{ ${parameters.map(({ name, example }) => `${name}: ${JSON.stringify(example)}`).join(', ')} }`
}
