import { isJsonObject, listOf } from '../text/json.ts'

/**
 * The keys that a schema knows of the object at a path within its value; of all alternatives, where it has some.
 * @param schema a valibot schema, whose parts are looked at by their names
 */
export function knownKeys(schema: unknown, path: readonly string[]): readonly string[] {
  if (!isJsonObject(schema)) return []
  const [key, ...rest] = path
  const around = [schema.wrapped, ...listOf(schema.pipe).slice(0, 1), ...listOf(schema.options)]
  const inside = around.flatMap((part) => knownKeys(part, path))
  const entries = isJsonObject(schema.entries) ? schema.entries : {}
  if (key === undefined) return [...new Set([...Object.keys(entries), ...inside])]
  const own = Object.hasOwn(entries, key) ? entries[key] : undefined
  return [...inside, ...[own, schema.item, schema.value].flatMap((part) => knownKeys(part, rest))]
}
