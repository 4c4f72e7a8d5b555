import type { MailboxAttachment, MailboxMessage } from '../../adapters/local/index.ts'
import type { Html } from '../../domain/text/html.ts'
import { html, trusted } from '../../domain/text/html.ts'

const style = trusted(`<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
article { border: 1px solid #ccc; border-radius: 8px; padding: 1rem; margin: 1rem 0; overflow-wrap: anywhere }
h2 { font-size: 1.1rem; margin: 0 } p, ul, figure { margin: .25rem 0; color: #555 } ul { padding-left: 1.25rem }
iframe { width: 100%; height: 22rem; border: 1px solid #ddd; background: #fff; margin-top: .5rem }
pre { white-space: pre-wrap; margin: .5rem 0 0; font: inherit; color: #222 }
img { max-width: 100%; max-height: 22rem; display: block; border-radius: 4px; margin-top: .5rem }
figcaption { font-size: .875rem }
</style>`)

/**
 * The page of the local mailbox.
 * @param path the path of the page; the parts of messages are served below it
 */
export function mailboxPage(messages: readonly MailboxMessage[], messagesMax: number, path: string): Html {
  const none = html`<p>Nothing was sent yet. Submit a form or send something, and reload this page.</p>`
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
          <p>What a deployment would have sent. Newest first, the last ${messagesMax}.</p>
          ${messages.length === 0 ? none : messages.map((message) => article(message, path))}
        </main>
      </body>
    </html> `
}

function article(message: MailboxMessage, path: string): Html {
  const { channel, from, to, subject, replyTo, at, mediaUrls, attachments } = message
  const heading = channel === 'email' ? (subject ?? '') : `${channel.toUpperCase()} to ${to}`
  return html`<article>
    <h2>${heading}</h2>
    <p>From ${from} to ${to}${replyTo === null ? '' : `, replies to ${replyTo}`}. ${at}</p>
    ${body(message, path)}${mediaUrls.map(picture)}${attachmentList(attachments, message, path)}
  </article> `
}

/**
 * Shows an email in a frame, as a document of its own. The headers with which it is served forbid scripts, forms and
 * requests.
 */
function body({ html: content, text, messageId }: MailboxMessage, path: string): Html {
  const src = `${path}/html?id=${encodeURIComponent(messageId)}`
  return content === null
    ? html`<pre>${text ?? ''}</pre>`
    : html`<iframe sandbox loading="lazy" title="The email" src="${src}"></iframe>`
}

/** Shows the picture of an MMS. It is loaded from the sender's URL, as a provider would load it. */
function picture(url: string): Html {
  return html`<figure>
    <img src="${url}" alt="Media of the message" loading="lazy" referrerpolicy="no-referrer" />
    <figcaption>${url}</figcaption>
  </figure>`
}

function attachmentList(
  attachments: readonly MailboxAttachment[],
  { messageId }: MailboxMessage,
  path: string,
): Html | null {
  if (attachments.length === 0) return null
  const entries = attachments.map(({ filename, path: source, sizeBytes }, position) => {
    if (source !== null) return html`<li>${filename}, from ${source}</li>`
    const href = `${path}/attachment?id=${encodeURIComponent(messageId)}&position=${position}`
    return html`<li><a href="${href}">${filename}</a>, ${sizeBytes ?? 0} bytes</li>`
  })
  return html`<p>Attachments</p>
    <ul>
      ${entries}
    </ul>`
}
