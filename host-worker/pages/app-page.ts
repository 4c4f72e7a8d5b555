import { html, type Html } from '../../domain/text/html.ts'
import type { ConsoleEntry } from '../console/built.mjs'
import { ASSETS_PREFIX } from './paths.ts'

const FILES = `${ASSETS_PREFIX}console/`

/**
 * The page of a script of the console, which makes everything in it.
 * @param otherwise what can be used where there are no scripts
 */
export function appPage(title: string, { script, style, modules }: ConsoleEntry, otherwise: string): Html {
  const preloads = modules.map((name) => html`<link rel="modulepreload" href="${FILES}${name}" /> `)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${FILES}${style}" />
        ${preloads}
        <script type="module" src="${FILES}${script}"></script>
      </head>
      <body>
        <div id="console"></div>
        <noscript>${otherwise}</noscript>
      </body>
    </html> `
}
