import { info } from '../../domain/document/prose.ts'
import { html, type Html } from '../../domain/text/html.ts'
import { pageResponse, viewerHeaders } from './page-headers.ts'
import { top } from './top.ts'

/** Serves the reference: a viewer of this host's two contract documents. */
export function serveReference(request: Request): Response {
  return pageResponse(request, () => page().markup, viewerHeaders)
}

function page() {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Reference – Tenant data API</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/pages.css" />
        <link rel="stylesheet" href="/assets/reference.css" />
        <script defer src="/assets/reference/reference.js"></script>
        <script defer src="/assets/reference/viewer.js"></script>
      </head>
      <body>
        <a class="skip" href="#reference">Skip to the reference</a>
        ${top()}
        <noscript>The reference needs scripts. The OpenAPI documents have all of it.</noscript>
        ${introduction()}
        <div id="reference" tabindex="-1"></div>
      </body>
    </html> `
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
