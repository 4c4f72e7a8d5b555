import { html, type Html } from '../../domain/text/html.ts'
import { top } from './top.ts'

/** A page that says what went wrong, with ways on. */
export function failurePage(title: string, why: Html): Html {
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
        ${top()}
        <main class="start" id="text">
          <h1>${title}</h1>
          <p>${why}</p>
        </main>
      </body>
    </html> `
}
