/** What is left of a key's rate after a request. */
export interface KeyBudget {
  /** Whether the request exceeded the rate. If so, it was not counted. */
  readonly isExceeded: boolean
  readonly ratePerMinute: number
  /** How many more requests would be admitted at this moment. */
  readonly remaining: number
  /** In how many ms `remaining` grows: when the oldest counted request is a minute old. */
  readonly renewsInMs: number
}
