/**
 * The content type that a request's header declares; null: the header is malformed. Without a header the value is
 * empty.
 */
export function contentTypeOf(headers: Headers): HeaderValue | null {
  return parseHeaderValue(headers.get('content-type') ?? '')
}

/** The content type, if it is one of the accepted types and the body is uncompressed and in UTF-8; else null. */
export function acceptedType(
  type: HeaderValue | null,
  headers: Headers,
  accepted: readonly string[],
): HeaderValue | null {
  const encodings = (headers.get('content-encoding') ?? '').split(',')
  if (encodings.some((encoding) => !['', 'identity'].includes(encoding.trim().toLowerCase()))) return null
  if (type === null || !accepted.includes(type.value)) return null
  const charset = type.parameters.get('charset')?.toLowerCase()
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' ? type : null
}

/** Matches `;q=0`, in any spelling of zero: the sender does not accept this type. */
const ZERO_WEIGHT = /^\s*q\s*=\s*"?0(?:\.0*)?"?\s*$/i

/**
 * Whether an `Accept` header names a media type itself: `*\/*` and `text/*` do not count, nor does a weight of 0
 * (RFC 9110, sections 12.4.2 and 12.5.1). Further parameters are ignored.
 * @param header null when the request has none
 * @param mediaType lower-case, without parameters
 */
export function acceptNames(header: string | null, mediaType: string): boolean {
  return split(header ?? '', ',').some((range) => {
    const [name = '', ...parameters] = split(range, ';')
    return name.trim().toLowerCase() === mediaType && !parameters.some((text) => ZERO_WEIGHT.test(text))
  })
}

/** Splits at a separator, but not within quotes, where `\` escapes. A quote that is never closed includes the rest. */
function split(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}

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
