/** A header value such as `form-data; name="a"`, split into its parts. */
export interface HeaderValue {
  /** The part before the first semicolon, lower-cased. */
  readonly value: string
  /** Parameters by lower-cased name; quotes removed. */
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Matches `; name=value`, with the value quoted or not. It is sticky, so that no text between two parameters is
 * skipped.
 */
const PARAMETER = /\s*;\s*(?:([!#$%&'*+\-.^_`|~0-9a-z]+)\s*=\s*(?:"([^"]*)"|([^\s";]*)))?/giy

/**
 * Splits a `Content-Type` or `Content-Disposition` value into its parts; null when it is malformed or a parameter is
 * repeated. Quoted values end at the next quote: browsers write a quote as `%22` and a backslash as itself (HTML,
 * multipart form data), so there is no backslash escape.
 */
export function parseHeaderValue(text: string): HeaderValue | null {
  const value = /^[^;]*/.exec(text)?.[0] ?? ''
  const parameters = new Map<string, string>()
  let offset = value.length
  const rest = text.trimEnd()
  while (offset < rest.length) {
    PARAMETER.lastIndex = offset
    const match = PARAMETER.exec(rest)
    if (match === null) return null
    offset = PARAMETER.lastIndex
    const name = match[1]?.toLowerCase()
    if (name === undefined) continue
    if (parameters.has(name)) return null
    parameters.set(name, match[2] ?? match[3] ?? '')
  }
  return { value: value.trim().toLowerCase(), parameters }
}
