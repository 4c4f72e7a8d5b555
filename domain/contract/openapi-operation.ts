import type * as v from 'valibot'
import { refusalStatusOf } from './capability.ts'
import type { SampleParameter } from './code-samples.ts'
import { codeSamples } from './code-samples.ts'
import type {
  CollectionEndpoint,
  Endpoint,
  GroupsEndpoint,
  OperationEndpoint,
  ReadEndpoint,
} from './endpoint.ts'
import { explained } from './explain-schema.ts'
import { idMaxLength } from './field.ts'
import type { Filter } from './filter.ts'
import { termOf } from './glossary/index.ts'
import type { JsonSchema } from './json-schema.ts'
import { jsonSchemaOf } from './json-schema.ts'
import * as prose from './openapi-prose.ts'
import type { Resolve } from './schema-example.ts'
import { exampleOf, fits } from './schema-example.ts'

type Node = Readonly<Record<string, unknown>>

/** One operation of the document. */
export function operationObject(endpoint: Endpoint, resolve: Resolve): Node {
  const parts = endpoint.kind === 'operation' ? operationParts(endpoint, resolve) : readParts(endpoint)
  const { parameters, requestBody } = parts
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
      parameters: parameters as readonly SampleParameter[],
      body: jsonExampleOf(requestBody as Node | undefined),
    }),
  }
}

/** The schema of the answer of a collection, or of a read of groups. */
export function pageName({ resource, parent }: CollectionEndpoint | GroupsEndpoint): string {
  return parent === null ? `${resource.name}Page` : `${resource.name}PageOf${parent.resource.name}`
}

/** Refers to a schema of the document. */
export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schema of a value that may be null too. */
export function nullableSchemaOf(of: v.GenericSchema): JsonSchema {
  const schema = jsonSchemaOf(of)
  const words = Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {}
  return { ...schema, ...words, type: [schema.type, 'null'] }
}

/** What the record says of itself, behind what follows from it. */
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
      return own === '' ? `${endpoint.summary}.` : own
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

function readParts(endpoint: ReadEndpoint): Node {
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

/** The failures of a read; those that a deprecated one gives to who may use it carry its headers. */
function failuresOf(endpoint: ReadEndpoint): Node {
  const failure = (name: keyof typeof prose.sharedResponses): Node =>
    endpoint.deprecation === null
      ? shared(name)
      : { ...prose.sharedResponses[name], ...deprecationHeaders(endpoint) }
  return {
    '400': failure('BadRequest'),
    ...commonResponses(endpoint),
    ...(mayBeMissing(endpoint) ? { '404': failure('NotFound') } : {}),
    '500': failure('InternalError'),
    ...(endpoint.rowsFrom === 'storage' ? {} : { '502': failure('SourceUnavailable') }),
  }
}

function deprecationHeaders({ deprecation }: ReadEndpoint): Node {
  return deprecation === null ? {} : { headers: prose.deprecationHeaders }
}

function pageParameters(endpoint: CollectionEndpoint | GroupsEndpoint): readonly Node[] {
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

/** A row, a parent, or the organization's own source can be missing; a plain collection is there even when empty. */
function mayBeMissing(endpoint: ReadEndpoint): boolean {
  return endpoint.kind === 'detail' || endpoint.parent !== null || endpoint.rowsFrom === 'pos'
}

/** The failures that follow from who may call an endpoint. */
function commonResponses({ access, requires }: Pick<Endpoint, 'access' | 'requires'>): Node {
  return {
    ...(access === 'public' ? {} : { '401': shared('Unauthorized') }),
    ...(requires !== null && refusalStatusOf(requires) === 403 ? { '403': shared('Forbidden') } : {}),
    '500': shared('InternalError'),
  }
}

function operationParts(endpoint: OperationEndpoint, resolve: Resolve): Node {
  const { parameters = [], requestBody, responses = {}, ...rest } = endpoint.openapi
  const given = parameters as readonly Node[]
  return {
    ...rest,
    parameters: [
      ...pathParameters(endpoint.path),
      ...given.map((parameter) => withParameterExample(parameter, resolve)),
    ],
    ...(requestBody === undefined ? {} : { requestBody: withExamples(requestBody as Node, resolve) }),
    responses: Object.fromEntries(
      Object.entries({ ...commonResponses(endpoint), ...(responses as Readonly<Record<string, Node>>) }).map(
        ([status, response]) => [status, withExamples(response as Node, resolve)],
      ),
    ),
  }
}

/** A request or response body whose schemas are explained and which has an example for each media type. */
function withExamples(body: Node, resolve: Resolve): Node {
  if (body.content === undefined) return body
  const content = Object.entries(body.content as Readonly<Record<string, Node>>).map(([type, media]) => {
    const schema = explained(media.schema as JsonSchema, [])
    const hasExample = '$ref' in schema || 'example' in media || 'examples' in media
    return [type, { ...media, schema, ...(hasExample ? {} : { example: exampleOf(schema, resolve) }) }]
  })
  return { ...body, content: Object.fromEntries(content) as Node }
}

function jsonExampleOf(requestBody: Node | undefined): unknown {
  const content = requestBody?.content as Readonly<Record<string, Node>> | undefined
  return content?.['application/json']?.example
}

function withParameterExample(parameter: Node, resolve: Resolve): Node {
  if ('example' in parameter || 'examples' in parameter) return parameter
  const schema = parameter.schema as JsonSchema
  const example = termOf([String(parameter.name)])?.[1]
  return {
    ...parameter,
    example: example !== undefined && fits(example, schema) ? example : exampleOf(schema, resolve),
  }
}

function filterParameter([name, filter]: readonly [string, Filter]): Node {
  const schema = jsonSchemaOf(filter.schema)
  return {
    name,
    in: 'query',
    description: `${filter.description} The value ${filter.allowed}.`,
    schema,
    example: filterExample(name, filter, schema),
  }
}

/** The text that the glossary knows, when the filter takes it; else the filter's own value, in the type of the schema. */
function filterExample(name: string, filter: Filter, schema: JsonSchema): unknown {
  const known = termOf([name])?.[1]
  const isTaken = typeof known === 'string' && filter.read(known, 'US').kind === 'value'
  const text = isTaken ? known : filter.example
  return schema.type === 'string' || Array.isArray(schema.enum) ? text : JSON.parse(text)
}

function pathParameters(path: string): readonly Node[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const [meaning, example] = termOf([name]) ?? ['The identifier.']
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

function shared(name: keyof typeof prose.sharedResponses): Node {
  return { $ref: `#/components/responses/${name}` }
}
