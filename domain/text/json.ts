/** What a text is the JSON of, unchecked. Throws when it is none. */
export function parseJson(text: string): unknown {
  return JSON.parse(text)
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a JSON object; none of any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

/** The values of a list; none of any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
