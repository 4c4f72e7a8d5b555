/** Parses a URL (URL standard); null when the text is not a URL. Does the same as `URL.parse`, which browsers of before 2024 lack. */
export function parseUrl(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null
}

const NO_QUERY = new URLSearchParams()

/** The query of a URL, read-only. All URLs without a query share one empty object, which saves creating it. */
export function queryOf(url: URL): Readonly<URLSearchParams> {
  return url.search === '' ? NO_QUERY : url.searchParams
}

/**
 * Matches `http(s)://authority`, followed by anything but control characters. The URL parser alone would silently
 * correct much malformed text.
 */
const WEB_URL = /^https?:\/\/[^\s/?#\\@]+(?:[/?#]\P{Cc}*)?$/iu

/** The canonical text of an absolute http or https URL without user name or password; null for any other text. */
export function toWebUrl(text: string): string | null {
  return WEB_URL.test(text) ? (parseUrl(text)?.href ?? null) : null
}

/**
 * Matches the names of this very machine: `localhost`, the addresses 127.0.0.0/8, and `::1`, as browsers write them. No
 * name that ends like one of them matches, because a stranger's name server may answer for it with any address.
 */
const LOOPBACK_NAME = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|\[::1\])$/i

/** Matches the port in a `Host` header, which may be empty. */
const PORT = /:\d{0,5}$/

/** Whether the name of a host, as in a URL, can only be this machine. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAME.test(hostname)
}

/** Whether a `Host` header names this machine, with or without a port. A request without the header does not. */
export function isLoopbackHost(header: string | null | undefined): boolean {
  return typeof header === 'string' && isLoopbackName(header.replace(PORT, ''))
}

/** Whether credentials may be sent to this address: the connection is encrypted, or stays on this machine. */
export function isPrivate(url: URL | null): url is URL {
  if (url === null) return false
  const isLocal = url.protocol === 'http:' && isLoopbackName(url.hostname)
  return isLocal || url.protocol === 'https:'
}

/** Whether an address is at a place: `forms` is that address alone, `forms/` all that are below it. */
export function isAt(address: string, place: string): boolean {
  return place.endsWith('/') ? address.startsWith(place) : address === place
}

/** What a call of any operation may have. */
export interface Inputs {
  /** The parameters of its path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  /** What is sent as JSON. */
  readonly body?: unknown
  /** What is sent in place of that. */
  readonly content?: Content
}

/** The values of a query by their names, of which some may say nothing. */
export type Query = Readonly<Record<string, string | number | null | undefined>>

/** A body with its headers. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/**
 * What a request for an operation says, whose path has parameters.
 * @param refuse makes the error for an id that URLs would drop, or that would lead to another path
 */
export function requestFor(
  path: string,
  { params = {}, query = {}, body, content }: Inputs,
  refuse: (sentence: string) => Error,
): Content & { readonly path: string } {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name] ?? ''
    if (/^\.{0,2}$/.test(value)) throw refuse(`There is nothing with the id ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
  const json = body === undefined ? { headers: {} } : jsonContent(body)
  return { path: filled + searchText(query), ...(content ?? json) }
}

/** A body of JSON, with its header. */
export function jsonContent(body: unknown) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** The query of an address, with what of these says anything: `?form=contact`. Empty when nothing does. */
export function searchText(values: Query): string {
  const named = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return named.length === 0 ? '' : `?${new URLSearchParams(named).toString()}`
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

/** Whether an `If-None-Match` header names the tag: weak comparison (RFC 9110, section 13.1.2). */
export function namesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((given) => ['*', etag].includes(given.trim().replace(/^W\//, '')))
}

/** An entity tag in a list, with the comma or the end after it. A tag may contain a comma (RFC 9110, section 8.8.3). */
const LISTED = /[ \t]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")?[ \t]*(?:,|$)/y

/**
 * The strong tags that an `If-Match` header lists, or `*`; null: the header is malformed (RFC 9110, section 13.1.1). Weak
 * tags match nothing, so they are left out, and so are empty places of the list (section 5.6.1).
 */
export function strongTags(header: string): readonly string[] | '*' | null {
  if (header.trim() === '*') return '*'
  const tags: string[] = []
  LISTED.lastIndex = 0
  while (LISTED.lastIndex < header.length) {
    const [, weak, tag] = LISTED.exec(header) ?? []
    if (LISTED.lastIndex === 0 || (weak !== undefined && tag === undefined)) return null
    if (weak === undefined && tag !== undefined) tags.push(tag)
  }
  return tags
}

/**
 * The pause that a `Retry-After` header asks for, in ms (RFC 9110, section 10.2.3: seconds, or a date). Null when the
 * header is missing or not usable.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
