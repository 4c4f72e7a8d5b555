import type * as v from 'valibot'
import { componentName } from '../record/operation/meaning.ts'
import type {
  Media,
  OperationEndpoint,
  RequestBody,
  ResponseDeclaration,
  ResponseHeader,
  SharedResponse,
} from '../record/operation/operation.ts'
import { explained } from './explain-schema.ts'
import { termOf } from './glossary/index.ts'
import { jsonSchemaOf, requestSchemaOf, withAnyKeys, withBareWords, type JsonSchema } from './json-schema.ts'
import { exampleOf, fits, type Resolve } from './schema-example.ts'
import {
  commonResponses,
  pathParameters,
  reference,
  shared,
  type Node,
  type ParameterObject,
  type Parts,
} from './shared-parts.ts'

/** The parameters, the request body and the responses of an operation, from its declaration. */
export function operationParts(endpoint: OperationEndpoint, resolve: Resolve): Parts {
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
