/** Whether, and for how long, a provider recognises a message that is sent again. */
export interface SendCapabilities {
  /**
   * For how many ms the provider honours an idempotency key; 0: it has none, so a message that is repeated after an
   * unknown outcome may arrive twice.
   */
  readonly idempotencyMs: number
}

/** The result of handing over one message. Reasons are short and in this service's words, never the provider's. */
export type SendResult = SendOutcome & {
  /**
   * What was caught, or why the provider's answer could not be read. For the operator's log alone, which prints its
   * name and place and never its message.
   */
  readonly cause?: unknown
}

type SendOutcome =
  /**
   * The provider accepted the message. `providerId` is null when the provider recognised a repetition and does not
   * repeat the id.
   */
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  /** The provider will never accept this message. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * The provider may accept the message later; after a lost connection it may have accepted it already. `throttled`:
   * the provider asked to wait, or refused the account, so the message itself is not at fault.
   */
  | {
      readonly kind: 'unavailable'
      readonly reason: string
      readonly throttled: boolean
      /** How long the provider asked to wait, in ms; null: it did not say. */
      readonly retryAfterMs: number | null
    }
