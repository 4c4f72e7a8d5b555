import { parseUrl } from '../text/http.ts'
import { REDIRECT_MAX_LENGTH } from './language/definition.ts'

/** Matches empty userinfo, as in `https://@host/`, which leaves no trace in the parsed URL. */
const EMPTY_USERINFO = /^\s*[a-z][a-z\d+.-]*:[/\\]*:?@/i

/** Matches a serialised origin: scheme and authority, nothing else. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@]+$/i

/**
 * The absolute thank-you URL for a `_redirect`, or null when it is not allowed. The decision is made on the parsed URL
 * (URL standard), so that tricks with the text have no effect: the URL must have the scheme, host and port of the
 * `Origin`, or be relative to it.
 * @param given the single value of `_redirect`, of any type
 * @param originHeader the `Origin` header of the request
 */
export function resolveRedirect(given: unknown, originHeader: string | null): string | null {
  const origin = parseOrigin(originHeader)
  if (origin === null || typeof given !== 'string' || !isCleanText(given)) return null
  const target = parseUrl(given, origin)
  if (target === null || !isWeb(target) || target.origin !== origin) return null
  return target.username === '' && target.password === '' ? target.href : null
}

/** The serialised origin, or null when the header is absent, `null` or not an http(s) origin. */
function parseOrigin(header: string | null): string | null {
  if (header === null || !ORIGIN.test(header)) return null
  const url = parseUrl(header)
  return url !== null && isWeb(url) ? url.origin : null
}

/** Whether a URL is http(s). The origin alone does not tell, because a `blob:` URL has the origin of its creator. */
function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:'
}

/**
 * Whether a text is free of control characters, which the parser would silently remove, and does not begin with `//`,
 * which would name a host.
 */
function isCleanText(text: string): boolean {
  if (text.length > REDIRECT_MAX_LENGTH || text.trim() === '' || !text.isWellFormed()) return false
  return !/\p{Cc}/u.test(text) && !/^\s*[/\\]{2}/.test(text) && !EMPTY_USERINFO.test(text)
}
