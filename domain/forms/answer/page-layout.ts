import { html, trusted, type Html } from '../../text/html.ts'
import { utf8 } from '../../text/encoding.ts'
import { STYLE } from './page-style.ts'

/** A page for a visitor whose browser posted a form. */
export interface Page {
  /** The title of the window and in the history. */
  readonly title: string
  readonly heading: string
  readonly tone: 'success' | 'failure'
  readonly content: readonly Html[]
}

// The style element is one piece, because the policy names the hash of every character between the tags.
const sheet = trusted(`<style>${STYLE}</style>`)

/** The document of a page. It has no script and loads nothing. */
export function renderPage({ title, heading, tone, content }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${sheet}
      </head>
      <body>
        <main class="${tone}">
          ${icons[tone]}
          <h1 dir="auto">${heading}</h1>
          ${content}
        </main>
      </body>
    </html> `.markup
}

const icons: Readonly<Record<Page['tone'], Html>> = {
  success: html`<svg aria-hidden="true" viewBox="0 0 24 24"><path d="m5 12.5 4.5 4.5L19 7.5" /></svg>`,
  failure: html`<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M12 6v8m0 3.5v.5" /></svg>`,
}

let policy: Promise<string> | null = null

/**
 * The headers of a page. The policy allows its one style sheet and nothing else: no script, no image, no form, no
 * embedding in another page, and no base address for relative links.
 */
export async function pageHeaders(): Promise<Readonly<Record<string, string>>> {
  policy ??= contentSecurityPolicy()
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': await policy,
    'referrer-policy': 'no-referrer',
  }
}

async function contentSecurityPolicy(): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(STYLE)))
  const hash = btoa(String.fromCharCode(...digest))
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
