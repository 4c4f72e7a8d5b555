import type { CollectionEndpoint, DetailEndpoint, Endpoint, OperationEndpoint, RowsFrom } from './endpoint.ts'
import { tags } from './endpoint.ts'
import type { JsonSchema } from './json-schema.ts'
import { jsonSchemaOf } from './json-schema.ts'
import type { Resource, ResourceField } from './resource.ts'
import { isCode } from './resource.ts'
import { idMaxLength } from './field.ts'
import * as prose from './openapi-prose.ts'

type Node = Readonly<Record<string, unknown>>

const errorStatuses = {
  BadRequest: 400,
  Unauthorized: 401,
  NotFound: 404,
  InternalError: 500,
  SourceUnavailable: 502,
} as const
type ErrorName = keyof typeof errorStatuses

const errorResponses: readonly ErrorName[] = ['BadRequest', 'Unauthorized', 'NotFound', 'InternalError']

/** What else can go wrong with a collection by where its rows are kept: an organization may have no point of sale. */
const errorsOfSource: Readonly<Record<RowsFrom, readonly ErrorName[]>> = {
  storage: [],
  links: ['SourceUnavailable'],
  pos: ['NotFound', 'SourceUnavailable'],
}

/** The OpenAPI 3.1 document of the endpoints: nothing in it is written a second time. */
export function buildDocument(endpoints: readonly Endpoint[]): Node {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = operationObject(endpoint)
  }
  const used = tags.filter((tag) => endpoints.some((endpoint) => endpoint.tag === tag))
  return {
    openapi: '3.1.0',
    info: { title: 'Tenant data API', version: '1.0.0', description: prose.description },
    servers: [{ url: '/', description: 'The host that served this document.' }],
    tags: used.map((name) => ({ name, description: prose.tagDescriptions[name] })),
    paths,
    components: {
      schemas: { ...prose.sharedSchemas, ...resourceSchemas(endpoints) },
      responses: prose.sharedResponses,
      securitySchemes: prose.securitySchemes,
    },
  }
}

function operationObject(endpoint: Endpoint): Node {
  const common = {
    operationId: endpoint.id.replace('.', '_'),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [endpoint.tag],
    ...(endpoint.deprecated === true ? { deprecated: true } : {}),
    security: securityOf(endpoint.access),
  }
  switch (endpoint.kind) {
    case 'collection':
      return { ...common, ...collectionParts(endpoint) }
    case 'detail':
      return { ...common, ...detailParts(endpoint) }
    case 'operation':
      return { ...common, ...operationParts(endpoint) }
  }
}

function securityOf(access: Endpoint['access']): readonly Node[] {
  switch (access) {
    case 'public':
      return []
    case 'tenant':
      return [{ tenantKey: [] }]
    case 'tenant_or_platform':
      return [{ tenantKey: [] }, { platformKey: [] }]
  }
}

function collectionParts(endpoint: CollectionEndpoint): Node {
  const filters = Object.entries(endpoint.filters)
  const filterParameters = filters.map(([name, filter]) => ({
    name,
    in: 'query',
    description: `${filter.description} The value ${filter.allowed}.`,
    schema: jsonSchemaOf(filter.schema),
    example: filter.example,
  }))
  const echo = filters.map(([name, { schema }]) => [name, nullableSchema(jsonSchemaOf(schema))] as const)
  const common =
    endpoint.parent === null ? errorResponses.filter((name) => name !== 'NotFound') : errorResponses
  const errors = [...common, ...errorsOfSource[endpoint.rowsFrom]]
  return {
    parameters: [
      ...pathParameters(endpoint.path),
      prose.limitParameter(endpoint.maxLimit),
      prose.cursorParameter(endpoint.syncOrder !== null),
      ...codesParameters(endpoint),
      ...filterParameters,
    ],
    responses: {
      '200': {
        ...deprecationHeaders(endpoint),
        description: 'A page.',
        content: {
          'application/json': { schema: envelopeSchema(endpoint.resource, Object.fromEntries(echo)) },
        },
      },
      ...errorsOf(errors, endpoint),
    },
  }
}

function detailParts(endpoint: DetailEndpoint): Node {
  return {
    parameters: [...pathParameters(endpoint.path), ...codesParameters(endpoint)],
    responses: {
      '200': {
        ...deprecationHeaders(endpoint),
        description: `The ${endpoint.resource.name}.`,
        content: { 'application/json': { schema: reference(endpoint.resource) } },
      },
      ...errorsOf(new Set([...errorResponses, ...errorsOfSource[endpoint.rowsFrom]]), endpoint),
    },
  }
}

function codesParameters({ offersCodes }: CollectionEndpoint | DetailEndpoint): readonly Node[] {
  return offersCodes ? [prose.codesParameter] : []
}

function operationParts(endpoint: OperationEndpoint): Node {
  const { parameters = [], ...rest } = endpoint.openapi as { parameters?: readonly Node[] }
  return { parameters: [...pathParameters(endpoint.path), ...parameters], ...rest }
}

function pathParameters(path: string): readonly Node[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The identifier, percent-encoded where it needs to be.',
    schema: { type: 'string', minLength: 1, maxLength: idMaxLength },
  }))
}

/** The error responses; those that a deprecated endpoint gives to who may use it carry its headers. */
function errorsOf(names: Iterable<ErrorName>, endpoint: CollectionEndpoint | DetailEndpoint): Node {
  const responseOf = (name: ErrorName): Node =>
    endpoint.deprecation === null || name === 'Unauthorized'
      ? { $ref: `#/components/responses/${name}` }
      : { ...prose.sharedResponses[name], ...deprecationHeaders(endpoint) }
  return Object.fromEntries([...names].map((name) => [errorStatuses[name], responseOf(name)]))
}

function deprecationHeaders({ deprecation }: CollectionEndpoint | DetailEndpoint): Node {
  return deprecation === null ? {} : { headers: prose.deprecationHeaders }
}

function envelopeSchema(resource: Resource, filters: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return prose.closedObject({
    organizationId: { type: 'string', description: 'The organization bound to the key.' },
    filters: prose.closedObject(filters),
    data: { type: 'array', items: reference(resource) },
    pagination: { $ref: '#/components/schemas/Pagination' },
  })
}

function reference(resource: Resource): JsonSchema {
  return { $ref: `#/components/schemas/${resource.name}` }
}

function resourceSchemas(endpoints: readonly Endpoint[]): Node {
  const resources = endpoints.flatMap((endpoint) =>
    endpoint.kind === 'operation' ? [] : [endpoint.resource],
  )
  return Object.fromEntries(
    resources.map((resource) => [
      resource.name,
      {
        description: resource.description,
        ...prose.closedObject(
          Object.fromEntries(
            Object.entries(resource.fields).map(([name, entry]) => [name, jsonSchemaOf(entry.field.schema)]),
          ),
          Object.keys(resource.fields).filter((name) => isCode(resource.fields[name] as ResourceField)),
        ),
      },
    ]),
  )
}

function nullableSchema(schema: JsonSchema): JsonSchema {
  const words = Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {}
  return { ...schema, ...words, type: [schema.type, 'null'] }
}
