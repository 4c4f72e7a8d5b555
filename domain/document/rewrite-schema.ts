import { isJsonObject, listOf } from '../text/json.ts'

/** A JSON Schema with keywords, as the contract document writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Rewrites a schema and every schema within it, the inner ones first. Examples and property names are not changed. */
export function rewritten(schema: JsonSchema, rewrite: (node: JsonSchema) => JsonSchema): JsonSchema {
  const inner = Object.entries(schema).map(
    ([keyword, value]) => [keyword, innerOf(keyword, value, rewrite)] as const,
  )
  return rewrite(Object.fromEntries(inner))
}

function innerOf(keyword: string, value: unknown, rewrite: (node: JsonSchema) => JsonSchema): unknown {
  switch (keyword) {
    case 'properties': {
      const named = namedSchemas(value)
      return Object.fromEntries(named.map(([name, property]) => [name, rewritten(property, rewrite)]))
    }
    case 'items':
    case 'additionalProperties':
      return isSchema(value) ? rewritten(value, rewrite) : value
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value)
        ? value.map((each: unknown) => (isSchema(each) ? rewritten(each, rewrite) : each))
        : value
    default:
      return value
  }
}

/** Whether a value is a schema with keywords, and not one of the schemas `true` and `false`. */
export function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value)
}

/** The schemas of the keyword `properties` with their names. */
export function namedSchemas(properties: unknown): readonly (readonly [string, JsonSchema])[] {
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).map(([name, property]) => {
    if (!isSchema(property)) throw new Error(`The property ${name} has no schema with keywords`)
    return [name, property]
  })
}

/** The keyword `enum` of a schema, with null added to its values; nothing when the schema has none. */
export function wordsWithNull({ enum: words }: JsonSchema): JsonSchema {
  return Array.isArray(words) ? { enum: [...listOf(words), null] } : {}
}
