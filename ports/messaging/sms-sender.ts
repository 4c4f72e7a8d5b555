import type { SendCapabilities, SendResult } from './send-result.ts'

/** The sender of a text message: a number of the tenant's own (E.164), or the short code that all tenants share. */
export type SmsOrigin = { readonly kind: 'number'; readonly number: string } | { readonly kind: 'shortcode' }

/** One text message to one recipient. */
export interface SmsMessage {
  readonly from: SmsOrigin
  /** E.164. */
  readonly to: string
  readonly body: string
  /** http(s) URLs that the provider fetches. With at least one, the message is an MMS. */
  readonly mediaUrls: readonly string[]
}

/** Sends SMS and MMS. */
export interface SmsSender {
  readonly capabilities: SendCapabilities
  /** The short code, or what replaces it, as it is recorded with sends. */
  readonly shortcode: string
  /** Hands one message to the provider. Never rejects, and resolves within a bounded time; see `EmailSender`. */
  send(message: SmsMessage, idempotencyKey: string): Promise<SendResult>
}
