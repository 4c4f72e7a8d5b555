import type { CollectionEndpoint, Endpoint, GroupsEndpoint } from '../record/endpoint.ts'
import { componentName } from '../record/meaning.ts'
import {
  explained,
  componentSchemaOf,
  fieldSchemaOf,
  jsonSchemaOf,
  exampleOf,
  type JsonSchema,
  type Resolve,
} from './json-schema.ts'
import { nullableSchemaOf, operationObject, pageName, securityOf, reference } from './operation.ts'
import type { DocumentTexts } from './prose.ts'
import { isCode, type Resource } from '../record/resource.ts'
import { handled } from '../access/serve-operation.ts'
import { writtenReply, type RoutedRequest } from '../record/reply.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import { namesEtag } from '../text/http.ts'
import * as prose from './prose.ts'

type Node = Readonly<Record<string, unknown>>

/** The contract document. */
export type Document = Record<string, unknown>

/**
 * Builds the OpenAPI 3.1 document of the endpoints, in the order of their tags. Everything in it is derived from their
 * records.
 */
export function buildDocument(
  declared: readonly Endpoint[],
  texts: DocumentTexts = prose.publicTexts,
): Document {
  const placeOf = ({ tag }: Endpoint) => texts.tags.indexOf(tag)
  const endpoints = declared.toSorted((left, right) => placeOf(left) - placeOf(right))
  const { schemas, resolve } = componentSchemas(endpoints)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = operationObject(endpoint, resolve)
  }
  const used = texts.tags.filter((tag) => endpoints.some((endpoint) => endpoint.tag === tag))
  return {
    openapi: '3.1.0',
    info: texts.info,
    servers: [{ url: '/', description: 'The host that served this document.' }],
    tags: used.map((name) => ({ name, description: texts.tagDescriptions[name] })),
    paths,
    components: {
      schemas,
      responses: usedResponses(paths, texts),
      securitySchemes: usedSchemes(endpoints, texts),
    },
  }
}

function componentSchemas(endpoints: readonly Endpoint[]): {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly resolve: Resolve
} {
  const bare: Readonly<Record<string, JsonSchema>> = {
    ...prose.sharedSchemas,
    ...operationSchemas(endpoints),
    ...resourceSchemas(endpoints),
    ...pageSchemas(endpoints),
  }
  const named = Object.entries(bare).map(([name, schema]) => [name, explained(schema, [name])] as const)
  const byName = new Map(named)
  const resolve: Resolve = (name) => {
    const found = byName.get(name.replace('#/components/schemas/', ''))
    if (found === undefined) throw new Error(`The document has no schema ${name}`)
    return found
  }
  const exemplified = named.map(([name, schema]): readonly [string, JsonSchema] => {
    return [name, 'examples' in schema ? schema : { ...schema, examples: [exampleOf(schema, resolve)] }]
  })
  return { schemas: Object.fromEntries(exemplified), resolve }
}

/** The named schemas that occur only in replies of operations. */
function operationSchemas(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  const media = endpoints
    .flatMap((endpoint) => (endpoint.kind === 'operation' ? Object.values(endpoint.responses) : []))
    .flatMap((response) => (typeof response === 'string' ? [] : Object.values(response.content ?? {})))
  return Object.fromEntries(
    media.flatMap(({ schema }) => {
      const name = componentName(schema)
      return name === null || name in prose.sharedSchemas ? [] : [[name, componentSchemaOf(schema)]]
    }),
  )
}

function resourceSchemas(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  const resources = endpoints.flatMap((endpoint) =>
    endpoint.kind === 'operation' ? [] : [endpoint.resource],
  )
  return Object.fromEntries(resources.map((resource) => [resource.name, resourceSchema(resource)]))
}

function resourceSchema({ description, fields }: Resource): JsonSchema {
  const properties = Object.entries(fields).map(
    ([name, { field }]) => [name, fieldSchemaOf(field.schema)] as const,
  )
  const codes = Object.entries(fields).flatMap(([name, entry]) => (isCode(entry) ? [name] : []))
  return { description, ...prose.closedObject(Object.fromEntries(properties), codes) }
}

function pageSchemas(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    endpoints
      .filter((endpoint) => endpoint.kind === 'collection' || endpoint.kind === 'groups')
      .map((endpoint) => [pageName(endpoint), pageSchema(endpoint)]),
  )
}

/**
 * The schema of a page. Filters that were not given are null. The parameters of groups always have a value, because
 * they have defaults.
 */
function pageSchema({ kind, resource, filters }: CollectionEndpoint | GroupsEndpoint): JsonSchema {
  const echo = Object.entries(filters).map(([name, { schema, description }]) => {
    const echoed =
      kind === 'groups' ? jsonSchemaOf(schema) : { ...nullableSchemaOf(schema), examples: [null] }
    return [name, { description, ...echoed }] as const
  })
  return {
    description: `A page of a collection of the schema \`${resource.name}\`.`,
    ...prose.closedObject({
      organizationId: { type: 'string', description: 'The organization bound to the key.' },
      filters: prose.closedObject(Object.fromEntries(echo)),
      data: { type: 'array', items: reference(resource.name) },
      pagination: reference('Pagination'),
    }),
  }
}

/** The shared responses to which an operation refers. */
function usedResponses(paths: Node, { responses }: DocumentTexts): Node {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(responses).filter(([name]) => text.includes(`"#/components/responses/${name}"`)),
  )
}

function usedSchemes(endpoints: readonly Endpoint[], { securitySchemes }: DocumentTexts): Node {
  const used = endpoints.flatMap(({ access }) => securityOf(access).flatMap(Object.keys))
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.includes(name)))
}
import * as v from 'valibot'

const headers = { ETag: { description: 'Changes with the document.', schema: v.string() } }

/** The parts that the endpoints of all contract documents have in common. */
export const contractParts = {
  summary: 'Retrieve the contract document',
  description:
    'This document, OpenAPI 3.1, without a key and for pages of any origin. Keep its ETag and ask with `If-None-Match`.',
  headers: {
    'If-None-Match': {
      description: 'ETags of the documents that you have.',
      schema: v.string(),
      example: '"4Xc9mB7tQ2vN8kLwR1yZpA"',
    },
  },
  responses: {
    200: {
      description: 'This document.',
      headers,
      content: {
        'application/json': {
          schema: v.record(v.string(), v.unknown()),
          example: { openapi: '3.1.0', info: { title: 'Tenant data API', version: '1.0.0' }, paths: {} },
        },
      },
    },
    304: { description: 'The document is the one that `If-None-Match` names.', headers },
  },
} as const

/** The contract document of the public interface. */
export function getContract(endpoints: Declared) {
  return handled({ access: 'public', tag: 'Contract', ...contractParts }, (request) =>
    serveContract(endpoints, request),
  )
}

/** The endpoints of an interface. */
type Declared = () => Promise<readonly Endpoint[]>

interface Rendered {
  readonly document: Document
  readonly body: string
  readonly etag: string
}

const rendered = new WeakMap<Declared, Rendered>()

/** Serves the document of the endpoints. It is built on the first request and kept. */
export async function serveContract(endpoints: Declared, { request }: RoutedRequest, texts?: DocumentTexts) {
  const { document, body, etag } = rendered.get(endpoints) ?? (await render(endpoints, texts))
  const headers = {
    etag,
    'cache-control': 'public, max-age=0, must-revalidate',
    'access-control-allow-origin': '*',
  }
  if (namesEtag(request.headers.get('if-none-match'), etag))
    return { status: 304, headers, body: null } as const
  return writtenReply(200, document, body, headers)
}

async function render(endpoints: Declared, texts: DocumentTexts | undefined): Promise<Rendered> {
  const document = buildDocument(await endpoints(), texts)
  const body = JSON.stringify(document)
  const digest = await crypto.subtle.digest('SHA-256', utf8(body))
  const made = { document, body, etag: `"${toBase64Url(new Uint8Array(digest).slice(0, 16))}"` }
  rendered.set(endpoints, made)
  return made
}
