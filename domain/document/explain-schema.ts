import { termOf } from './glossary/index.ts'
import type { JsonSchema } from './json-schema.ts'
import { isSchema, namedSchemas } from './rewrite-schema.ts'
import { fits } from './schema-example.ts'

/**
 * Adds the glossary's description and example to every property of a schema, at any depth. A description or example
 * that the schema has already stays.
 * @param path the schema's name, and the names of the properties that lead to this part of it
 */
export function explained(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const parts = Object.entries(schema).map(
    ([keyword, value]) => [keyword, explainedPart(keyword, value, path)] as const,
  )
  return Object.fromEntries(parts)
}

function explainedPart(keyword: string, value: unknown, path: readonly string[]): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        namedSchemas(value).map(([name, inner]) => [name, explainedProperty(inner, [...path, name])]),
      )
    case 'items':
    case 'additionalProperties':
      return isSchema(value) ? explained(value, path) : value
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value)
        ? value.map((inner: unknown) => (isSchema(inner) ? explained(inner, path) : inner))
        : value
    default:
      return value
  }
}

function explainedProperty(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const inner = explained(schema, path)
  const term = termOf(path)
  if (term === null) return inner
  const [description, example] = term
  const saysItself =
    example === undefined || '$ref' in inner || 'const' in inner || 'examples' in inner || 'example' in inner
  const examples = saysItself || !fits(example, inner) ? {} : { examples: [example] }
  return { description, ...inner, ...examples }
}
