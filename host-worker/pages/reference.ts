import { html } from '../../domain/text/html.ts'
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
        <div id="reference" tabindex="-1"></div>
      </body>
    </html> `
}
