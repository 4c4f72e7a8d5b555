import { id, nullable, oneOf, summedCents, text, timestamp } from '../contract/field.ts'
import { resource, updatedAt } from '../contract/resource.ts'

const types = ['payment', 'failed', 'refund', 'discount'] as const

/** Imported for cancellation records and analytics; no route publishes them as they are. */
export const billingEvents = resource({
  name: 'BillingEvent',
  collection: 'billing-events',
  description: 'One thing that happened in the billing of a membership.',
  idField: 'eventId',
  fields: {
    eventId: id(),
    membershipId: id(),
    occurredAt: timestamp(),
    type: oneOf(types),
    amountCents: nullable(summedCents()),
    discountName: nullable(text()),
    discountCents: nullable(summedCents()),
  },
  hidden: { updatedAt: updatedAt() },
})
