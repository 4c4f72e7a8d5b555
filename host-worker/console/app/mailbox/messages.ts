import { searchText } from '../service/search-text.ts'

/** A message that a deployment would have sent, as the mailbox answers with it. */
export interface Message {
  readonly messageId: string
  readonly channel: 'email' | 'sms' | 'mms'
  readonly from: string
  readonly to: string
  /** Null for a text message. */
  readonly subject: string | null
  /** Null for a text message, and in a list. */
  readonly html: string | null
  /** In a list only its beginning. */
  readonly text: string | null
  readonly replyTo: string | null
  readonly mediaUrls: readonly string[]
  readonly attachments: readonly {
    readonly filename: string
    /** Where a provider would fetch it; null: its content was given. */
    readonly path: string | null
    readonly sizeBytes: number | null
  }[]
  /** Headers besides the usual ones, by name. */
  readonly headers: Readonly<Record<string, string>>
  readonly at: string
}

export interface Messages {
  readonly messages: readonly Message[]
  /** False: there are older ones. */
  readonly isWhole: boolean
}

export const PATH = '/mailbox'

/** The address of a message, or with null of none, with what is searched. */
export function addressOf(messageId: string | null, search: string): string {
  return PATH + searchText({ search, message: messageId })
}

/** What a message is called in a list. */
export function titleOf({ subject, text, channel }: Message): string {
  const title = subject ?? text ?? ''
  return title.trim() === '' ? `An empty ${channel}` : title
}

/**
 * What an email says without its markup. It is parsed into a document that runs no scripts and loads nothing.
 */
export function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const hidden of body.querySelectorAll('script, style, template')) hidden.remove()
  for (const block of body.querySelectorAll('br, p, div, tr, li, h1, h2, h3, h4')) block.append('\n')
  return body.textContent
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n\s*\n\s*/g, '\n\n')
    .trim()
}
