import type { JsonSchema } from './json-schema.ts'

/** Finds the schema that a `$ref` names. */
export type Resolve = (reference: string) => JsonSchema

const textOfFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-05-20T08:30:00.000Z',
  date: '2026-05-20',
  uuid: '018f3c6e-7b1a-7c3d-9e2f-5a6b7c8d9e0f',
  uri: 'https://example.com/',
  email: 'ada@example.com',
}

/**
 * A value that the schema allows: the example that it gives, else one composed of its parts. Of an object's
 * properties those that are required, or all where none is.
 */
export function exampleOf(schema: JsonSchema, resolve: Resolve): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve)
  const given = [schema.const, listOf(schema.examples)[0], schema.example, listOf(schema.enum)[0]]
  const found = given.find((value) => value !== undefined)
  if (found !== undefined) return found
  const [choice] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(listOf)
  return choice === undefined ? ofType(schema, resolve) : exampleOf(choice as JsonSchema, resolve)
}

function ofType(schema: JsonSchema, resolve: Resolve): unknown {
  switch (typesOf(schema).find((name) => name !== 'null') ?? 'any') {
    case 'object':
      return ofObject(schema, resolve)
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items as JsonSchema, resolve)]
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' && schema.minimum > 1 ? schema.minimum : 1
    case 'string':
      return textOfFormat[typeof schema.format === 'string' ? schema.format : ''] ?? 'text'
    default:
      return null
  }
}

function ofObject({ properties = {}, required }: JsonSchema, resolve: Resolve): unknown {
  const names = listOf(required)
  const shown = Object.entries(properties as Readonly<Record<string, JsonSchema>>).filter(
    ([name]) => names.length === 0 || names.includes(name),
  )
  return Object.fromEntries(shown.map(([name, inner]) => [name, exampleOf(inner, resolve)]))
}

/** Whether a value is of a schema's type, words and bounds. */
export function fits(value: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOf(value, type))) return false
  if (typeof value !== 'number') return true
  const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number }
  return value >= minimum && value <= maximum
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : ([type].flat() as string[])
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
