/** Parses a URL (URL standard); null when the text is not a URL. Does the same as `URL.parse`, which Node 20 lacks. */
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
