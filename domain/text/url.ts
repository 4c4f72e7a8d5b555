/** The parsed URL (URL standard), or null when the text is none. As `URL.parse`, which Node 20 lacks. */
export function parseUrl(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null
}

const NO_QUERY = new URLSearchParams()

/** The query of an address, to be read alone: addresses without one share an empty one, which spares making it. */
export function queryOf(url: URL): Readonly<URLSearchParams> {
  return url.search === '' ? NO_QUERY : url.searchParams
}

/** `http(s)://authority`, then anything but control characters. The parser alone would repair much that is not this. */
const WEB_URL = /^https?:\/\/[^\s/?#\\@]+(?:[/?#]\P{Cc}*)?$/iu

/** The canonical text of an absolute http or https URL without user name or password, or null when it is none. */
export function toWebUrl(text: string): string | null {
  return WEB_URL.test(text) ? (parseUrl(text)?.href ?? null) : null
}
