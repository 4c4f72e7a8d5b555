/** Where a key with a rate stands after a request. */
export interface KeyBudget {
  /** Whether the request was one too many. It was not counted then. */
  readonly isExceeded: boolean
  readonly ratePerMinute: number
  /** How many more requests would be admitted at this moment. */
  readonly remaining: number
  /** How long no more than those are admitted, in ms: until the oldest request that counts is a minute old. */
  readonly renewsInMs: number
}
