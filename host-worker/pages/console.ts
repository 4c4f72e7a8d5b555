import { html } from '../../domain/text/html.ts'
import { entry } from '../console/built.mjs'
import { pageResponse } from './page-headers.ts'
import { ASSETS_PREFIX } from './paths.ts'

const FILES = `${ASSETS_PREFIX}console/`

/** Serves the console's page, which is the same at each of its addresses: its script shows what the address names. */
export function serveConsole(request: Request): Response {
  return pageResponse(request, () => page().markup)
}

function page() {
  const preloads = entry.modules.map((name) => html`<link rel="modulepreload" href="${FILES}${name}" /> `)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Console</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${FILES}${entry.style}" />
        ${preloads}
        <script type="module" src="${FILES}${entry.script}"></script>
      </head>
      <body>
        <div id="console"></div>
        <noscript>The console needs scripts. The operator command and both interfaces do all of it.</noscript>
      </body>
    </html> `
}
