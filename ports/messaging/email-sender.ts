import type { SendCapabilities, SendResult } from './send-result.ts'

/** An email address with its display name. */
export interface Mailbox {
  /** Without control characters; null: there is no display name. */
  readonly name: string | null
  readonly address: string
}

/** An attachment: its content in base64, or the URL from which the provider fetches it. */
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
  /** Whether no person wrote it. It then carries the header `Auto-Submitted: auto-generated` (RFC 3834, section 5). */
  readonly isAutomatic: boolean
}

/** Sends email. */
export interface EmailSender {
  readonly capabilities: SendCapabilities
  /**
   * Hands one email to the provider. Never rejects, and resolves within a bounded time, whatever the provider does.
   * @param idempotencyKey at most 256 characters; it stays the same when the same message is tried again
   */
  send(message: EmailMessage, idempotencyKey: string): Promise<SendResult>
}
