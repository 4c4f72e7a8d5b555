import type { SendCapabilities, SendResult } from './send-result.ts'

/** An address with the name it is shown under. */
export interface Mailbox {
  /** Null: no display name. No control characters. */
  readonly name: string | null
  readonly address: string
}

/** An attachment: its content in base64, or where the provider fetches it. */
export type EmailAttachment =
  | { readonly filename: string; readonly path: string }
  | { readonly filename: string; readonly content: string }

/** One email to one recipient. */
export interface EmailMessage {
  readonly from: Mailbox
  readonly to: string
  readonly subject: string
  readonly html: string
  /** Plain text; null: the provider derives it from the HTML, or sends none. */
  readonly text: string | null
  readonly replyTo: string | null
  readonly attachments: readonly EmailAttachment[]
}

/** Sends email. */
export interface EmailSender {
  readonly capabilities: SendCapabilities
  /**
   * Hands one email over. Never rejects and answers within a bounded time, whatever the provider does.
   * @param idempotencyKey at most 256 characters; the same message tried again has the same key
   */
  send(message: EmailMessage, idempotencyKey: string): Promise<SendResult>
}
