import { parseUrl } from '../../text/http.ts'

/** The page from which the visitor came, for links back to it. */
export interface WayBack {
  /**
   * The URL of the page that posted the form, as far as the browser reveals it: usually only the origin when the form
   * is sent to another site.
   */
  readonly page: string
  /** The start page of the same site. */
  readonly site: string
  /** The site's name as the address bar shows it. */
  readonly host: string
}

const URL_MAX_LENGTH = 2_000

/**
 * The page that posted a form, from its `Referer` and `Origin` headers. Null when they contain no URL that is safe to
 * link to: an http(s) URL without userinfo. A `Referer` of a site other than the `Origin` is ignored.
 */
export function wayBack(headers: Headers): WayBack | null {
  const origin = webUrl(headers.get('origin'))
  const referer = webUrl(headers.get('referer'))
  const page = origin === null || referer?.origin === origin.origin ? referer : origin
  if (page === null) return null
  page.hash = ''
  return { page: page.href, site: `${page.origin}/`, host: page.host }
}

function webUrl(text: string | null): URL | null {
  const url = text === null || text.length > URL_MAX_LENGTH ? null : parseUrl(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  return url.username === '' && url.password === '' ? url : null
}
