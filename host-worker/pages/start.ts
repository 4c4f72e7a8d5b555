import { html, type Html } from '../../domain/text/html.ts'
import { pageHeaders, pageResponse } from './page-headers.ts'
import { CONSOLE_PATH, GUIDES_PATH, REFERENCE_PATH } from './paths.ts'

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
  return pageResponse(request, () => page(new URL(request.url).origin, local).markup, headers)
}

function way(href: string, name: string, what: string): Html {
  return html`<li>
    <a href="${href}">${name}</a>
    <p class="soft">${what}</p>
  </li> `
}

function page(origin: string, local: LocalStart | null): Html {
  const ways = [
    way(
      REFERENCE_PATH,
      'Reference',
      'Every operation, with samples in four languages; try calls with your own key.',
    ),
    way(
      GUIDES_PATH,
      'Guides',
      'Sync, forms, sends, errors and limits; for operators, how to deploy and restore.',
    ),
    way(
      local?.consoleHref ?? CONSOLE_PATH,
      'Console',
      `See what came in and what went out, and change it. ${local === null ? 'Operators and tenants sign in with a key.' : 'This link signs in once, as the operator.'}`,
    ),
    way('/api/v1/openapi.json', 'OpenAPI document', 'OpenAPI 3.1, for your client generator.'),
    ...(local?.ways ?? []).map((given) => way(...given)),
  ]
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Tenant data API</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/pages.css" />
      </head>
      <body>
        <main class="start">
          <h1>Tenant data API</h1>
          <p>
            Each organization reads its own data here – sites, contacts, purchases, memberships and more –
            with a key, and takes the submissions of forms from any website without one.
          </p>
          <ul class="ways">
            ${ways}
          </ul>
          ${local?.about ?? ''}
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
        </main>
      </body>
    </html> `
}
