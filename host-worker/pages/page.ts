import { html, type Html } from '../../domain/text/html.ts'
import type { ConsoleEntry } from '../console/built.mjs'
import { ASSETS_PREFIX, GUIDES_PATH, REFERENCE_PATH, START_PATH } from './paths.ts'

/** What is in the head of a page of text. */
export const styled = html`<link rel="stylesheet" href="${ASSETS_PREFIX}pages.css" />`

/** A page of this service. */
export function htmlPage(title: string, head: Html, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="${ASSETS_PREFIX}icon.svg" type="image/svg+xml" />
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html> `.markup
}

/** The bar at the top of a page, with the ways between them. */
export function top(): Html {
  return html`<nav class="top" aria-label="Pages">
    <a href="${START_PATH}"><strong>Tenant data API</strong></a>
    <a href="${GUIDES_PATH}">Guides</a>
    <a href="${REFERENCE_PATH}">Reference</a>
  </nav>`
}

/**
 * The page of a script of the console, which makes everything in it.
 * @param otherwise what can be used where there are no scripts
 */
export function appPage(
  title: string,
  { script, style, modules, first }: ConsoleEntry,
  otherwise: string,
): string {
  const files = `${ASSETS_PREFIX}console/`
  const begins = first === undefined ? '' : html`<script type="module" async src="${files}${first}"></script>`
  const preloads = modules.map((name) => html`<link rel="modulepreload" href="${files}${name}" /> `)
  return htmlPage(
    title,
    html`<meta name="robots" content="noindex" />
      ${begins}
      <link rel="stylesheet" href="${files}${style}" />
      ${preloads}
      <script type="module" src="${files}${script}"></script>`,
    html`<div id="console"></div>
      <noscript>${otherwise}</noscript>`,
  )
}

/** A page that says what went wrong, with ways on. */
function failurePage(title: string, why: string): string {
  return htmlPage(
    `${title} – Tenant data API`,
    styled,
    html`${top()}
      <main class="start" id="text">
        <h1>${title}</h1>
        <p>${why}</p>
      </main>`,
  )
}

/** The page for a path that has nothing, for a browser, in place of what programs are answered. */
export function notFoundPage(request: Request, answered: Response): Response {
  const markup = failurePage('Not found', 'There is no page at this address.')
  const requestId = answered.headers.get('x-request-id') ?? ''
  const headers = { ...pageHeaders, 'x-request-id': requestId }
  return new Response(request.method === 'HEAD' ? null : markup, { status: 404, headers })
}

/** Responds to `GET` and `HEAD` with a page or another text, and to other methods with 405. */
export function pageResponse(
  request: Request,
  body: () => string,
  headers: Readonly<Record<string, string>> = pageHeaders,
): Response {
  if (request.method === 'GET' || request.method === 'HEAD')
    return new Response(request.method === 'HEAD' ? null : body(), { headers })
  const refused = { status: 405, headers: { allow: 'GET, HEAD' } }
  if (!acceptsPages(request)) return Response.json({ error: 'Method not allowed' }, refused)
  const markup = failurePage('Method not allowed', 'This page can only be read.')
  return new Response(markup, { ...refused, headers: { ...pageHeaders, ...refused.headers } })
}

/** Whether a request comes from something that shows pages, such as a browser. */
export function acceptsPages(request: Request): boolean {
  return request.headers.get('accept')?.includes('text/html') === true
}

/** The policy of a page, with where it may take styles, pictures and framed documents from. */
function policy({ styles = "'self'", pictures = '', frames = '' } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    // `data:` is for icons in style sheets.
    `img-src 'self' data:${pictures}`,
    ...(frames === '' ? [] : [`frame-src ${frames}`]),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The headers of the service's own pages: they load files of this service only, connect to this host only, and cannot
 * be framed.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': policy(),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The headers of the reference. Its viewer puts its style sheet into the page; its script is this service's own. */
export const viewerHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': policy({ styles: "'self' 'unsafe-inline'" }),
}

/** The headers of the local mailbox, which frames emails, and shows the pictures of messages as a phone would. */
export const mailboxHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': policy({ pictures: ' http: https:', frames: "'self'" }),
}
