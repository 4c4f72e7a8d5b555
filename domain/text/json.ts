/** Parses JSON, without checking the value. Throws when the text is not JSON. */
export function parseJson(text: string): unknown {
  return JSON.parse(text)
}

/** The parsed JSON, without checking the value; the fallback when the text is not JSON. */
export function parsedOr(text: string, fallback: unknown): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return fallback
    throw error
  }
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a JSON object; empty for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

/** The values of a list; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The keys of a record, in their order. The record may have no keys but those of its type. */
export function keysOf<Listed extends object>(record: Listed): readonly (keyof Listed & string)[] {
  // `Object.keys` returns plain strings, because in general an object may have more keys than its type says.
  return Object.keys(record) as (keyof Listed & string)[]
}
