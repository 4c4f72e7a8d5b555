import { parseUrl } from '../../text/url.ts'
import { REDIRECT_MAX_LENGTH } from '../definition/limits.ts'

/** Userinfo that is empty leaves no trace in the parsed URL: `https://@host/`. */
const EMPTY_USERINFO = /^\s*[a-z][a-z\d+.-]*:[/\\]*:?@/i

/** What the platform serialises as the origin of a page: scheme and authority, nothing else. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@]+$/i

/**
 * The absolute thank-you URL for a `_redirect`, or null when it is not allowed. It is decided on the parsed URL (URL
 * standard), because text tricks end there: it must be relative to `Origin`, or http(s) with its scheme, host and port.
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

/** A `blob:` URL has the origin of its creator, so the scheme is asked for as well. */
function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:'
}

/** Control characters are removed by the parser, and `//host` names a host: neither belongs in a thank-you URL. */
function isCleanText(text: string): boolean {
  if (text.length > REDIRECT_MAX_LENGTH || text.trim() === '' || !text.isWellFormed()) return false
  return !/\p{Cc}/u.test(text) && !/^\s*[/\\]{2}/.test(text) && !EMPTY_USERINFO.test(text)
}
