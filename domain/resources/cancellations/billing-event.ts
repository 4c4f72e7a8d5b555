import * as v from 'valibot'

const cents = v.nullable(v.pipe(v.number(), v.safeInteger()))

/** The part of a billing event of the first year that is stored with its membership. */
export const BillingEvent = v.strictObject({
  eventId: v.string(),
  occurredAt: v.string(),
  type: v.picklist(['payment', 'failed', 'discount']),
  amountCents: cents,
  discountName: v.nullable(v.string()),
  discountCents: cents,
})

export type BillingEvent = v.InferOutput<typeof BillingEvent>
