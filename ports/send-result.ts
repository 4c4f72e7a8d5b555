/** Whether and how long a provider recognises a message that is handed over again. */
export interface SendCapabilities {
  /**
   * For how many ms the provider honours an idempotency key; 0: it has none, so a message whose fate is unknown and
   * which is sent again may arrive twice.
   */
  readonly idempotencyMs: number
}

/** What became of handing one message over. Reasons are short and in this service's words, never the provider's. */
export type SendResult =
  /** The provider took it. `providerId` is null when it took it in an earlier attempt and does not say as what. */
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  /** It will never take this message. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * It may take it later; after a lost connection it may have taken it already. `throttled`: it asked for patience or
   * for a working account, so nothing speaks against the message itself.
   */
  | {
      readonly kind: 'unavailable'
      readonly reason: string
      readonly throttled: boolean
      /** How long the provider asked to wait, in ms; null: it did not say. */
      readonly retryAfterMs: number | null
    }
