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
