import type { CollectionEndpoint, Endpoint, GroupsEndpoint } from './endpoint.ts'
import { tags } from './endpoint.ts'
import { explained } from './explain-schema.ts'
import { nullableSchemaOf, operationObject, pageName, reference } from './openapi-operation.ts'
import * as prose from './openapi-prose.ts'
import type { JsonSchema } from './json-schema.ts'
import { jsonSchemaOf } from './json-schema.ts'
import type { Resource, ResourceField } from './resource.ts'
import { isCode } from './resource.ts'
import type { Resolve } from './schema-example.ts'
import { exampleOf } from './schema-example.ts'

type Node = Readonly<Record<string, unknown>>

/** The OpenAPI 3.1 document of the endpoints: nothing in it is written a second time. */
export function buildDocument(endpoints: readonly Endpoint[]): Node {
  const { schemas, resolve } = componentSchemas(endpoints)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = operationObject(endpoint, resolve)
  }
  const used = tags.filter((tag) => endpoints.some((endpoint) => endpoint.tag === tag))
  return {
    openapi: '3.1.0',
    info: prose.info,
    servers: [{ url: '/', description: 'The host that served this document.' }],
    tags: used.map((name) => ({ name, description: prose.tagDescriptions[name] })),
    paths,
    components: {
      schemas,
      responses: usedResponses(paths),
      securitySchemes: usedSchemes(endpoints),
    },
  }
}

function componentSchemas(endpoints: readonly Endpoint[]): {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly resolve: Resolve
} {
  const bare: Readonly<Record<string, JsonSchema>> = {
    ...prose.sharedSchemas,
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
  const exemplified = named.map(([name, schema]) => {
    return [name, 'examples' in schema ? schema : { ...schema, examples: [exampleOf(schema, resolve)] }]
  })
  return { schemas: Object.fromEntries(exemplified) as Record<string, JsonSchema>, resolve }
}

function resourceSchemas(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  const resources = endpoints.flatMap((endpoint) =>
    endpoint.kind === 'operation' ? [] : [endpoint.resource],
  )
  return Object.fromEntries(resources.map((resource) => [resource.name, resourceSchema(resource)]))
}

function resourceSchema({ description, fields }: Resource): JsonSchema {
  const properties = Object.entries(fields).map(
    ([name, { field }]) => [name, jsonSchemaOf(field.schema)] as const,
  )
  const codes = Object.keys(fields).filter((name) => isCode(fields[name] as ResourceField))
  return { description, ...prose.closedObject(Object.fromEntries(properties), codes) }
}

function pageSchemas(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    endpoints
      .filter((endpoint) => endpoint.kind === 'collection' || endpoint.kind === 'groups')
      .map((endpoint) => [pageName(endpoint), pageSchema(endpoint)]),
  )
}

/** Filters that were not passed are null; those of groups always have a value, a default at least. */
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

/** Of the shared responses those that an operation refers to. */
function usedResponses(paths: Node): Node {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(prose.sharedResponses).filter(([name]) =>
      text.includes(`"#/components/responses/${name}"`),
    ),
  )
}

function usedSchemes(endpoints: readonly Endpoint[]): Node {
  const { tenantKey, platformKey } = prose.securitySchemes
  const platform = endpoints.some(({ access }) => access === 'tenant_or_platform')
  return platform ? { tenantKey, platformKey } : { tenantKey }
}
