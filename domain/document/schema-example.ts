import type { JsonSchema } from './json-schema.ts'
import { isSchema, namedSchemas } from './rewrite-schema.ts'
import { isJsonObject, listOf } from '../text/json.ts'

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
 * A value that the schema allows: the schema's own example, else one composed from the examples of its parts. An object
 * has its required properties, or all of them when none is required.
 */
export function exampleOf(schema: JsonSchema, resolve: Resolve): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve)
  const given = [schema.const, listOf(schema.examples)[0], schema.example, listOf(schema.enum)[0]]
  const found = given.find((value) => value !== undefined)
  if (found !== undefined) return found
  const [choice] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(listOf)
  return isSchema(choice) ? exampleOf(choice, resolve) : ofType(schema, resolve)
}

function ofType(schema: JsonSchema, resolve: Resolve): unknown {
  switch (typesOf(schema).find((name) => name !== 'null') ?? 'any') {
    case 'object':
      return ofObject(schema, resolve)
    case 'array':
      return isSchema(schema.items) ? [exampleOf(schema.items, resolve)] : []
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

function ofObject({ properties, required }: JsonSchema, resolve: Resolve): unknown {
  const names = listOf(required)
  const shown = namedSchemas(properties).filter(([name]) => names.length === 0 || names.includes(name))
  return Object.fromEntries(shown.map(([name, inner]) => [name, exampleOf(inner, resolve)]))
}

/**
 * Whether a value fits a schema's type, enumeration and bounds. No value is taken to fit a `$ref`, whose schema has an
 * example of its own.
 */
export function fits(value: unknown, schema: JsonSchema): boolean {
  if ('$ref' in schema) return false
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.some((choice: unknown) => isSchema(choice) && fits(value, choice))
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOf(value, type))) return false
  if (typeof value !== 'number') return true
  const { minimum, maximum } = schema
  return (
    !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum)
  )
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return typeof type === 'string' ? [type] : listOf(type).filter((name) => typeof name === 'string')
}
