import type { SendCapabilities, SendResult } from './send-result.ts'

/** Who a text message comes from: a number of the tenant's own (E.164), or the short code that all share. */
export type SmsOrigin = { readonly kind: 'number'; readonly number: string } | { readonly kind: 'shortcode' }

/** One text message to one recipient. */
export interface SmsMessage {
  readonly from: SmsOrigin
  /** E.164. */
  readonly to: string
  readonly body: string
  /** http(s) URLs that the provider fetches; any makes it an MMS. */
  readonly mediaUrls: readonly string[]
}

/** Sends SMS and MMS. */
export interface SmsSender {
  readonly capabilities: SendCapabilities
  /** The short code, or its replacement, as it is recorded. */
  readonly shortcode: string
  /** Hands one message over. Never rejects and answers within a bounded time; see `EmailSender`. */
  send(message: SmsMessage, idempotencyKey: string): Promise<SendResult>
}
