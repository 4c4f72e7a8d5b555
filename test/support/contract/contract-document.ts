import type { AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { endpoints } from './endpoints.ts'
import { buildDocument } from '../../../domain/document/openapi.ts'
import { operatorTexts } from '../../../domain/document/operator-texts.ts'
import { operatorEndpoints } from '../../../domain/operator-api.ts'

export type Node = Readonly<Record<string, unknown>>

/** One operation of the contract document, in a form for matching requests. */
export interface DocumentedOperation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  /** Whether it requires a key. */
  readonly isKeyed: boolean
  readonly requestBody: DocumentedRequest | undefined
  /** The responses by status, with references resolved. */
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

export interface DocumentedRequest {
  readonly content: Readonly<Record<string, DocumentedMedia>>
}

interface DocumentedMedia {
  readonly schema: Node
  readonly example?: unknown
}

export interface DocumentedResponse {
  readonly content?: Readonly<Record<string, DocumentedMedia>>
  readonly headers?: Readonly<Record<string, { readonly schema: Node; readonly required?: boolean }>>
}

type Document = ReturnType<typeof buildDocument>

/** The documents of the service's interfaces, by the name under which their schemas are registered here. */
export const documents = {
  contract: buildDocument(endpoints),
  operator: buildDocument(operatorEndpoints, operatorTexts),
} as const

// Each schema checks few answers before the process ends, so optimising its code would cost more than it saves.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
formats.default(ajv)
// By its whole reference, a schema that many answers share is compiled once. Within a document it would be once for each.
for (const [name, document] of Object.entries(documents)) {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  for (const [schema, node] of Object.entries(schemas))
    ajv.addSchema(absolute(node, name) as AnySchema, `${name}#/components/schemas/${schema}`)
}

/**
 * Every operation of the documents, with references that name their own document. Literal path segments come before
 * parameters, because they take precedence in routing.
 */
export const operations: readonly DocumentedOperation[] = Object.entries(documents).flatMap(
  ([name, document]) => operationsOf(absolute(document, name) as Document),
)

function operationsOf({ paths, components }: Document): readonly DocumentedOperation[] {
  const { responses } = components as { readonly responses: Readonly<Record<string, DocumentedResponse>> }
  return Object.entries(paths as Readonly<Record<string, Readonly<Record<string, Node>>>>)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        operationId: String(operation.operationId),
        method: method.toUpperCase(),
        path,
        isKeyed: (operation.security as readonly unknown[]).length > 0,
        requestBody: operation.requestBody as DocumentedRequest | undefined,
        responses: resolved(operation.responses as Readonly<Record<string, Node>>, responses),
      })),
    )
}

function resolved(
  responses: Readonly<Record<string, Node>>,
  shared: Readonly<Record<string, DocumentedResponse>>,
): Record<string, DocumentedResponse> {
  const entries = Object.entries(responses).map(([status, response]): [string, DocumentedResponse] => {
    const { $ref } = response
    if (typeof $ref !== 'string') return [status, response]
    return [status, shared[$ref.replace(/^.*#\/components\/responses\//, '')] ?? {}]
  })
  return Object.fromEntries(entries)
}

/** The paths of the document, each with its pattern and its operations. */
const paths = [...Map.groupBy(operations, ({ path }) => path)].map(([path, ofPath]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/*$`),
  ofPath,
}))

/** The operations of a request's path; empty: the document has no such path. */
export function operationsAt(pathname: string): readonly DocumentedOperation[] {
  return paths.find(({ pattern }) => pattern.test(pathname))?.ofPath ?? []
}

const compiled = new WeakMap<object, ReturnType<typeof ajv.compile>>()

/**
 * The problems of a value by a schema of the document; `[]`: none. Properties that the schema does not name are a
 * problem.
 */
export function schemaProblems(schema: Node, value: unknown): readonly string[] {
  const validate = compiled.get(schema) ?? ajv.compile(closed(schema) as AnySchema)
  compiled.set(schema, validate)
  void validate(value)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  )
}

/** Makes references within a document absolute, with the document's name. */
function absolute(node: unknown, name: string): unknown {
  if (Array.isArray(node)) return node.map((inner) => absolute(inner, name))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' && inner.startsWith('#')
        ? `${name}${inner}`
        : absolute(inner, name),
    ]),
  )
}

/** Makes an object schema without a rule for other properties refuse them. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return 'properties' in node && !('additionalProperties' in node)
    ? { ...inner, additionalProperties: false }
    : inner
}
