import type { GuidePage } from '../bundle/guide-pages.mjs'
import { html, trusted, type Html } from '../../domain/text/html.ts'
import { GUIDES_PATH, REFERENCE_PATH } from './paths.ts'
import { pageResponse } from './page-headers.ts'
import { top } from './top.ts'

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
  if (name === '') return pageResponse(request, () => overview(guidePages).markup)
  const isMarkdown = name.endsWith(MARKDOWN)
  const wanted = isMarkdown ? name.slice(0, -MARKDOWN.length) : name
  const guide = guidePages.find((candidate) => candidate.name === wanted)
  if (guide === undefined) return null
  return isMarkdown
    ? pageResponse(request, () => guide.markdown, markdownHeaders)
    : pageResponse(request, () => page(guide, guidePages).markup)
}

/** Serves `/llms.txt`: where a program that reads texts finds everything about this service. */
export async function serveLlms(request: Request): Promise<Response> {
  const { guidePages } = await import('./guide-pages.ts')
  const { origin } = new URL(request.url)
  const entry = ({ name, title, about }: GuidePage) =>
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
    ...guidePages.filter(({ isGuide }) => isGuide).map(entry),
    '',
    '## Optional',
    '',
    ...guidePages.filter(({ isGuide }) => !isGuide).map(entry),
  ]
  return pageResponse(request, () => `${lines.join('\n')}\n`, plainHeaders)
}

function overview(guides: readonly GuidePage[]): Html {
  const card = ({ name, title, about }: GuidePage) =>
    html`<li>
      <a href="${GUIDES_PATH}/${name}">${title}</a>
      <p class="soft">${about}</p>
    </li> `
  return layout(
    'Guides',
    html`<main class="start" id="text" tabindex="-1">
      <h1>Guides</h1>
      <ul class="ways">
        ${guides.filter(({ isGuide }) => isGuide).map(card)}
      </ul>
      <h2>Manuals of the parts</h2>
      <ul class="ways">
        ${guides.filter(({ isGuide }) => !isGuide).map(card)}
      </ul>
      <p class="soft">For programs: <a href="/llms.txt">llms.txt</a> lists every page as Markdown.</p>
    </main>`,
  )
}

function page(guide: GuidePage, guides: readonly GuidePage[]): Html {
  const way = ({ name, title }: GuidePage) =>
    name === guide.name
      ? html`<li><a href="${GUIDES_PATH}/${name}" aria-current="page">${title}</a></li> `
      : html`<li><a href="${GUIDES_PATH}/${name}">${title}</a></li> `
  return layout(
    guide.title,
    html`<div class="guide">
      <nav aria-label="Guides">
        <ul>
          ${guides.filter(({ isGuide }) => isGuide).map(way)}
        </ul>
        <ul>
          ${guides.filter(({ isGuide }) => !isGuide).map(way)}
        </ul>
      </nav>
      <main class="start" id="text" tabindex="-1">
        ${trusted(guide.html)}
        <p class="soft"><a href="${GUIDES_PATH}/${guide.name}${MARKDOWN}">This page as Markdown</a></p>
      </main>
    </div>`,
  )
}

function layout(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Tenant data API</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/pages.css" />
      </head>
      <body>
        <a class="skip" href="#text">Skip to the text</a>
        ${top()} ${body}
      </body>
    </html> `
}
