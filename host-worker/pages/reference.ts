import { html } from '../../domain/text/html.ts'
import { pageResponse } from './page-headers.ts'

/** Serves the reference of the API: a viewer of this host's contract document. */
export function serveReference(request: Request): Response {
  return pageResponse(request, () => page().markup)
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
        <link rel="stylesheet" href="/assets/reference/swagger-ui.css" />
        <link rel="stylesheet" href="/assets/reference.css" />
        <script defer src="/assets/reference/swagger-ui-bundle.js"></script>
        <script defer src="/assets/reference/reference.js"></script>
      </head>
      <body>
        <a class="skip" href="#reference">Skip to the reference</a>
        <header class="top">
          <strong>Tenant data API</strong>
          <a href="/">Start</a>
          <a href="/api/v1/openapi.json">OpenAPI document</a>
        </header>
        <main id="reference" tabindex="-1">
          <noscript>The reference needs scripts. The OpenAPI document has all of it.</noscript>
        </main>
      </body>
    </html> `
}
