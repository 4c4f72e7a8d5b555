import { instantOf } from './membership.ts'
import type { BillingEvent } from './billing-event.ts'

/** How long a membership's first year lasts, and how long after the signup a discount counts as a signup discount. */
export const FIRST_YEAR_DAYS = 365
export const SIGNUP_DISCOUNT_DAYS = 30

const DAY_MS = 86_400_000

export interface SignupDiscount {
  readonly name: string | null
  readonly discountCents: number | null
  readonly occurredAt: string
}

export interface FirstYearPayment {
  readonly occurredAt: string
  readonly amountCents: number | null
  readonly status: 'paid' | 'failed'
}

/** The discounts of the first 30 days from the signup day, the end excluded, oldest first. */
export function signupDiscounts(
  signupDate: string | null,
  events: readonly BillingEvent[],
): SignupDiscount[] {
  return within(signupDate, SIGNUP_DISCOUNT_DAYS, events)
    .filter(({ type }) => type === 'discount')
    .map(({ discountName, discountCents, occurredAt }) => ({ name: discountName, discountCents, occurredAt }))
}

/** The payments, good and failed, of the first 365 days from the signup day, the end excluded, oldest first. */
export function firstYearPayments(
  signupDate: string | null,
  events: readonly BillingEvent[],
): FirstYearPayment[] {
  return within(signupDate, FIRST_YEAR_DAYS, events).flatMap(({ type, occurredAt, amountCents }) =>
    type === 'discount' ? [] : [{ occurredAt, amountCents, status: type === 'payment' ? 'paid' : 'failed' }],
  )
}

function within(signupDate: string | null, days: number, events: readonly BillingEvent[]): BillingEvent[] {
  if (signupDate === null) return []
  const startMs = Date.parse(instantOf(signupDate))
  return events
    .filter(({ occurredAt }) => {
      const sinceMs = Date.parse(occurredAt) - startMs
      return sinceMs >= 0 && sinceMs < days * DAY_MS
    })
    .toSorted((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
}

function placeOf({ occurredAt, eventId }: BillingEvent): string {
  return `${occurredAt} ${eventId}`
}
