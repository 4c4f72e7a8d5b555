import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

export type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema (2020-12) of a published value, as OpenAPI 3.1 wants it: no `$schema`, null as a type. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  return converted(schema, 'throw')
}

/**
 * The JSON Schema of a request body in which keys that it does not name are ignored. Rules that JSON Schema cannot say
 * are in its descriptions.
 */
export function requestSchemaOf(schema: v.GenericSchema): JsonSchema {
  return withOpenObjects(converted(schema, 'ignore')) as JsonSchema
}

/** Says of each object that is not closed that unknown keys are allowed: they are ignored. */
function withOpenObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOpenObjects)
  if (typeof value !== 'object' || value === null) return value
  const node = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withOpenObjects(inner)]))
  return node.type === 'object' ? { additionalProperties: true, ...node } : node
}

function converted(schema: v.GenericSchema, errorMode: 'throw' | 'ignore'): JsonSchema {
  const entries = Object.entries(toJsonSchema(schema, { target: 'draft-2020-12', errorMode }))
  return withNullTypes(Object.fromEntries(entries.filter(([key]) => key !== '$schema'))) as JsonSchema
}

/** Rewrites `anyOf: [{type: T, …}, {type: null}]` as `type: [T, null]`, the shorter form that 3.1 allows. */
function withNullTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNullTypes)
  if (typeof value !== 'object' || value === null) return value
  const node = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNullTypes(inner)]))
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return node
  const [inner, nothing] = anyOf as [Record<string, unknown>, Record<string, unknown>]
  if (nothing.type !== 'null' || typeof inner.type !== 'string') return node
  const words = Array.isArray(inner.enum) ? { enum: [...(inner.enum as unknown[]), null] } : {}
  return { ...rest, ...inner, ...words, type: [inner.type, 'null'] }
}
