import type { SendRecord } from '../../ports/messaging.ts'

/** The result of one attempt at an entry. Reasons are for the operator: short, and without personal data. */
export type Verdict =
  | { readonly kind: 'done'; readonly sends: readonly SendRecord[] }
  /** Another attempt cannot help. */
  | { readonly kind: 'failed'; readonly reason: string; readonly sends: readonly SendRecord[] }
  /** Another attempt may help. */
  | {
      readonly kind: 'unavailable'
      readonly reason: string
      /** Whether this counts among the entry's attempts. False: nothing was wrong with the entry. */
      readonly counted: boolean
      /** The minimum time until the next attempt, in ms. */
      readonly retryAfterMs: number
      /** The record of the send, which was not accepted; null: nothing was handed over. */
      readonly send: SendRecord | null
    }
  /** The message is over a bound of automations. */
  | {
      readonly kind: 'waiting'
      readonly reason: string
      /** The UTC instant since which it waits. */
      readonly since: string
      /** The UTC instant of the next attempt. */
      readonly until: string
    }
  /** Another worker has taken the entry over. */
  | { readonly kind: 'lost' }

/** A verdict for an entry that is not at fault and waits. */
export function postponed(reason: string, retryAfterMs: number): Verdict {
  return { kind: 'unavailable', reason, counted: false, retryAfterMs, send: null }
}

/** A verdict for an entry that another attempt cannot help. Nothing was sent. */
export function hopeless(reason: string): Verdict {
  return { kind: 'failed', reason, sends: [] }
}

/** The verdict for an entry whose payload does not have the form of its kind. */
export const malformedEntry = hopeless('The entry is malformed.')
