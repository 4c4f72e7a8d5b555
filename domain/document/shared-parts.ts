import { refusal } from '../record/operation/capability.ts'
import type { Endpoint } from '../record/endpoint.ts'
import { idMaxLength } from '../record/field.ts'
import type { SharedResponse } from '../record/operation/operation.ts'
import { termOf } from './glossary/index.ts'
import type { JsonSchema } from './json-schema.ts'

/** The parts of the description that reads and operations share. */

/** A part of the document. */
export type Node = Readonly<Record<string, unknown>>

/** A parameter as the document describes it. */
export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'header' | 'query'
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
}

/** The inputs and the replies of an endpoint. */
export interface Parts {
  readonly parameters: readonly ParameterObject[]
  readonly requestBody?: Node
  readonly responses: Node
}

/** Refers to a schema of the document. */
export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Refers to a response of the document. */
export function shared(name: SharedResponse): Node {
  return { $ref: `#/components/responses/${name}` }
}

/**
 * The failures that follow from who may call an endpoint. Every operation of operators also refuses unknown parameters
 * and keys.
 */
export function commonResponses({ access, requires }: Pick<Endpoint, 'access' | 'requires'>): Node {
  const needsAdmin = access === 'admin' || access === 'admin_or_root_secret'
  const lacks = requires !== null && refusal(requires).status === 403
  return {
    ...(needsAdmin || access === 'support' ? { '400': shared('BadRequest') } : {}),
    ...(access === 'public' ? {} : { '401': shared('Unauthorized') }),
    ...(needsAdmin || lacks ? { '403': shared('Forbidden') } : {}),
    ...(access === 'tenant' || access === 'tenant_or_platform' ? { '429': shared('TooManyRequests') } : {}),
    '500': shared('InternalError'),
  }
}

/** The parameters that a path contains in braces. */
export function pathParameters(path: string): readonly ParameterObject[] {
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
