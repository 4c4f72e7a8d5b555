import { info } from '../../domain/document/prose.ts'
import { html, trusted, type Html } from '../../domain/text/html.ts'
import type { GuidePage } from '../bundle/guide-pages.mjs'
import { entry, type ConsoleEntry } from '../console/built.mjs'
import {
  CONSOLE_PATH,
  GUIDES_PATH,
  MAILBOX_PATH,
  REFERENCE_PATH,
  ASSETS_PREFIX,
  START_PATH,
} from './paths.ts'

// The service's own pages. The first request for one loads all of them.

/** What the start page of a developer's machine has besides that of a deployment. */
export interface LocalStart {
  /** The address of the console, which signs in. */
  readonly consoleHref: string
  /** A key that the sample uses. */
  readonly demoKey: string
  readonly ways: readonly (readonly [href: string, name: string, what: string])[]
  readonly about: Html
}

/**
 * Serves the start page, which says what the service is and links to its parts.
 * @param local what only a local start has
 */
export function serveStart(request: Request, local: LocalStart | null = null): Response {
  const headers = local === null ? pageHeaders : { ...pageHeaders, 'cache-control': 'no-store' }
  return pageResponse(request, () => startPage(new URL(request.url).origin, local), headers)
}

function startPage(origin: string, local: LocalStart | null): string {
  const signsIn =
    local === null ? 'Operators and tenants sign in with a key.' : 'This link signs you in, as the operator.'
  const ways: LocalStart['ways'] = [
    [
      REFERENCE_PATH,
      'Reference',
      'Every operation, with samples in four languages; try calls with your own key.',
    ],
    [
      GUIDES_PATH,
      'Guides',
      'Sync, forms, sends, errors and limits; for operators, how to deploy and restore.',
    ],
    [
      local?.consoleHref ?? CONSOLE_PATH,
      'Console',
      `See what came in and what went out, and change it. ${signsIn}`,
    ],
    ['/api/v1/openapi.json', 'OpenAPI document', 'OpenAPI 3.1, for your client generator.'],
    ...(local?.ways ?? []),
  ]
  return htmlPage(
    'Tenant data API',
    styled,
    html`<main class="start">
      <h1>Tenant data API</h1>
      <p>
        Each organization reads its own data here – sites, contacts, purchases, memberships and more – with a
        key, and takes the submissions of forms from any website without one.
      </p>
      ${waysList(ways)} ${local?.about ?? ''}
      <h2>Read</h2>
      <p>
        ${local === null ? 'Ask the operator of this service for a key, and keep it on your server.' : 'With the key of the demo organization:'}
      </p>
      <pre
        tabindex="0"
        role="region"
        aria-label="Reading contacts with curl"
      ><code>curl "${origin}/api/v1/contacts?limit=2" ${'\\\n  -H "Authorization: Bearer '}${local?.demoKey ?? '$KEY'}"</code></pre>
      <h2>Submit a form</h2>
      <p>Any page can post to a published form: no key, no cookie, no script needed.</p>
      <pre
        tabindex="0"
        role="region"
        aria-label="A form that submits here"
      ><code>${'<form method="post" action="'}${origin}${'/api/forms/FORM/submissions" accept-charset="utf-8">'}</code></pre>
    </main>`,
  )
}

/** Links, each with what it leads to. */
function waysList(ways: LocalStart['ways']): Html {
  const items = ways.map(
    ([href, name, what]) =>
      html`<li>
        <a href="${href}">${name}</a>
        <p class="soft">${what}</p>
      </li> `,
  )
  return html`<ul class="ways">
    ${items}
  </ul>`
}

/** Serves the console's page, which is the same at each of its addresses: its script shows what the address names. */
export function serveConsole(request: Request): Response {
  const otherwise = 'The console needs scripts. The operator command and both interfaces do all of it.'
  return pageResponse(request, () => appPage('Console', entry, otherwise))
}

/** Serves the reference: a viewer of this host's two contract documents. */
export function serveReference(request: Request): Response {
  return pageResponse(request, () => referencePage(), viewerHeaders)
}

function referencePage(): string {
  return htmlPage(
    'Reference – Tenant data API',
    html`${styled}
      <link rel="stylesheet" href="/assets/reference.css" />
      <script defer src="/assets/reference/reference.js"></script>
      <script defer src="/assets/reference/viewer.js"></script>`,
    html`<a class="skip" href="#reference">Skip to the reference</a>
      ${top()}
      <noscript>The reference needs scripts. The OpenAPI documents have all of it.</noscript>
      ${introduction()}
      <div id="reference" tabindex="-1"></div>`,
  )
}

/**
 * What the viewer shows first, in the same place. A reader need not wait until the viewer, which is large, has started
 * and removes it (reference.ts of the browser).
 */
function introduction(): Html {
  const paragraphs = info.description.split('\n\n').map((text) => html`<p>${inline(text)}</p> `)
  return html`<section class="introduction">
    <h1>${info.title}</h1>
    ${paragraphs}
  </section>`
}

/** Markdown as the introduction has it: text with words in bold and in code. */
function inline(markdown: string): readonly Html[] {
  return markdown.split(/(\*\*.+?\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    return part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : html`${part}`
  })
}

const MARKDOWN = '.md'

const markdownHeaders = {
  'content-type': 'text/markdown; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
}

const plainHeaders = { ...markdownHeaders, 'content-type': 'text/plain; charset=utf-8' }

/**
 * Serves the list of guides, a guide as a page, or the same guide as Markdown (`.md` at the end of its address). Null:
 * there is no such guide.
 */
export async function serveGuides(request: Request, pathname: string): Promise<Response | null> {
  const { guidePages } = await import('./guide-pages.ts')
  const name = pathname.slice(GUIDES_PATH.length + 1)
  if (name === '') return pageResponse(request, () => guideList(guidePages))
  const isMarkdown = name.endsWith(MARKDOWN)
  const wanted = isMarkdown ? name.slice(0, -MARKDOWN.length) : name
  const guide = guidePages.find((candidate) => candidate.name === wanted)
  if (guide === undefined) return null
  return isMarkdown
    ? pageResponse(request, () => guide.markdown, markdownHeaders)
    : pageResponse(request, () => guidePage(guide, guidePages))
}

/** Serves `/llms.txt`: where a program that reads texts finds everything about this service. */
export async function serveLlms(request: Request): Promise<Response> {
  const { guidePages } = await import('./guide-pages.ts')
  const { origin } = new URL(request.url)
  const lineOf = ({ name, title, about }: GuidePage) =>
    `- [${title}](${origin}${GUIDES_PATH}/${name}${MARKDOWN}): ${about}`
  const lines = [
    '# Tenant data API',
    '',
    '> Each organization reads its own data with a key (`Authorization: Bearer KEY`), and takes submissions of forms from any website without one. Every path of the contract begins with `/api/`; what pages load to show a form (`/form-client.js`, `/forms/{formId}/definition`) is in the guide Forms.',
    '',
    '## Contract',
    '',
    `- [OpenAPI 3.1 of the public interface](${origin}/api/v1/openapi.json): every operation, field, limit and error, with samples`,
    `- [OpenAPI 3.1 of the operator interface](${origin}/operator/v1/openapi.json): organizations, keys, imports, archives`,
    `- [Reference for people](${origin}${REFERENCE_PATH}): the same two documents in a viewer`,
    '',
    '## Guides',
    '',
    ...guidePages.filter(({ isGuide }) => isGuide).map(lineOf),
    '',
    '## Optional',
    '',
    ...guidePages.filter(({ isGuide }) => !isGuide).map(lineOf),
  ]
  return pageResponse(request, () => `${lines.join('\n')}\n`, plainHeaders)
}

function guideList(guides: readonly GuidePage[]): string {
  const list = (isOfGuides: boolean): Html =>
    waysList(
      guides
        .filter(({ isGuide }) => isGuide === isOfGuides)
        .map(({ name, title, about }) => [`${GUIDES_PATH}/${name}`, title, about]),
    )
  return layout(
    'Guides',
    html`<main class="start" id="text" tabindex="-1">
      <h1>Guides</h1>
      ${list(true)}
      <h2>Manuals of the parts</h2>
      ${list(false)}
      <p class="soft">For programs: <a href="/llms.txt">llms.txt</a> lists every page as Markdown.</p>
    </main>`,
  )
}

function guidePage(guide: GuidePage, guides: readonly GuidePage[]): string {
  const links = (isOfGuides: boolean): readonly Html[] =>
    guides
      .filter(({ isGuide }) => isGuide === isOfGuides)
      .map(({ name, title }) => {
        const mark = name === guide.name ? html` aria-current="page"` : ''
        return html`<li><a href="${GUIDES_PATH}/${name}" ${mark}>${title}</a></li> `
      })
  return layout(
    guide.title,
    html`<div class="guide">
      <nav aria-label="Guides">
        <ul>
          ${links(true)}
        </ul>
        <ul>
          ${links(false)}
        </ul>
      </nav>
      <main class="start" id="text" tabindex="-1">
        ${trusted(guide.html)}
        <p class="soft"><a href="${GUIDES_PATH}/${guide.name}${MARKDOWN}">This page as Markdown</a></p>
      </main>
    </div>`,
  )
}

function layout(title: string, body: Html): string {
  return htmlPage(
    `${title} – Tenant data API`,
    styled,
    html`<a class="skip" href="#text">Skip to the text</a> ${top()} ${body}`,
  )
}

const plain = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
}

/**
 * Says that the service runs and its configuration is complete: without that, every path answers 503. It costs no
 * storage call, so a stranger who asks often causes no work.
 */
export function serveHealth(request: Request): Response {
  return pageResponse(request, () => '{"status":"ok"}\n', {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

/** Tells search engines to leave the interfaces alone. */
export function serveRobots(request: Request): Response {
  const lines = ['User-agent: *', ...['/api/', '/operator/', MAILBOX_PATH].map((path) => `Disallow: ${path}`)]
  return pageResponse(request, () => `${lines.join('\n')}\n`, plain)
}

/** Leads browsers that look for an icon at its old address to the one that the pages name. */
export function serveFavicon(): Response {
  return new Response(null, { status: 301, headers: { location: '/assets/icon.svg' } })
}

/** What is in the head of a page of text. */
const styled = html`<link rel="stylesheet" href="${ASSETS_PREFIX}pages.css" />`

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
