import type { SendRecord } from '../../ports/send-log.ts'

/** The result of working on an entry once. Reasons are for the operator: short, and without personal data. */
export type Verdict =
  | { readonly kind: 'done'; readonly sends: readonly SendRecord[] }
  /** Trying again cannot help. */
  | { readonly kind: 'failed'; readonly reason: string; readonly sends: readonly SendRecord[] }
  /** Trying again may help. */
  | {
      readonly kind: 'unavailable'
      readonly reason: string
      /** False: nothing was wrong with the entry, so this does not count among its attempts. */
      readonly counted: boolean
      /** How long to wait at least, in ms. */
      readonly retryAfterMs: number
      /** What to record of the send should this have been the last attempt; null: it was not about one. */
      readonly send: SendRecord | null
    }
  /** Somebody else has taken the entry over. */
  | { readonly kind: 'lost' }

/** The entry itself is not at fault; it waits. */
export function postponed(reason: string, retryAfterMs: number): Verdict {
  return { kind: 'unavailable', reason, counted: false, retryAfterMs, send: null }
}

/** Trying again cannot help, and nothing was sent. */
export function hopeless(reason: string): Verdict {
  return { kind: 'failed', reason, sends: [] }
}
