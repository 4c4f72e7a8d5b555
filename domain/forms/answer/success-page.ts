import { html } from '../../text/html.ts'
import { renderPage } from './page-layout.ts'
import type { WayBack } from './way-back.ts'

/** The page after a saved submission, and after one that filled the bot trap: the two look the same. */
export function successPage(title: string, message: string, back: WayBack | null): string {
  return renderPage({
    title,
    heading: title,
    tone: 'success',
    content: [
      html`<p class="message" dir="auto">${message}</p>`,
      ...(back === null ? [] : [html`<p><a class="go" href="${back.site}">Back to ${back.host}</a></p>`]),
    ],
  })
}
