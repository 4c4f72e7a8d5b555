import type { MailboxMessage } from '../../adapters/local/index.ts'
import { createMailbox } from '../../adapters/local/index.ts'
import type { Html } from '../../domain/text/html.ts'
import { html, trusted } from '../../domain/text/html.ts'
import type { Env } from '../env.ts'
import { systemClock } from '../system.ts'

export const MAILBOX_PATH = '/mailbox'

const MESSAGES_MAX = 100

/** No script, no request to anywhere: what the page shows was written by strangers. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Shows what the local mailbox holds, as a page or, when asked for, as JSON. Null when there is no local mailbox. */
export async function serveMailbox(request: Request, env: Env): Promise<Response | null> {
  if (!env.localMailbox) return null
  if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
  const messages = await createMailbox(env.database, systemClock).list(MESSAGES_MAX)
  if (request.headers.get('accept')?.includes('application/json') === true) {
    return Response.json({ messages }, { headers: HEADERS })
  }
  return new Response(page(messages).markup, {
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' },
  })
}

const style = trusted(`<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
article { border: 1px solid #ccc; border-radius: 8px; padding: 1rem; margin: 1rem 0; overflow-wrap: anywhere }
h2 { font-size: 1.1rem; margin: 0 } p { margin: .25rem 0; color: #555 }
iframe { width: 100%; height: 22rem; border: 1px solid #ddd; background: #fff; margin-top: .5rem }
pre { white-space: pre-wrap; margin: .5rem 0 0; font: inherit; color: #222 }
</style>`)

function page(messages: readonly MailboxMessage[]): Html {
  const none = html`<p>Nothing was sent yet. Submit a form and reload this page.</p>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Local mailbox</title>
        ${style}
      </head>
      <body>
        <main>
          <h1>Local mailbox</h1>
          <p>What a deployment would have sent. Newest first, the last ${MESSAGES_MAX}.</p>
          ${messages.length === 0 ? none : messages.map(article)}
        </main>
      </body>
    </html> `
}

function article(message: MailboxMessage): Html {
  const { channel, from, to, subject, replyTo, at, mediaUrls } = message
  const heading = channel === 'email' ? (subject ?? '') : `${channel.toUpperCase()} to ${to}`
  return html`<article>
    <h2>${heading}</h2>
    <p>From ${from} to ${to}${replyTo === null ? '' : `, replies to ${replyTo}`}. ${at}</p>
    ${body(message)}${mediaUrls.map((url) => html`<p>Media: ${url}</p>`)}
  </article> `
}

/** The sandbox allows nothing, and the frame inherits the page's policy. */
function body({ html: content, text }: MailboxMessage): Html {
  return content === null
    ? html`<pre>${text ?? ''}</pre>`
    : html`<iframe sandbox title="The email" srcdoc="${content}"></iframe>`
}
