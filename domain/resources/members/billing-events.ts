import { id, impersonal, nullable, oneOf, summedCents, text, timestamp } from '../../record/field.ts'
import { updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'

const types = ['payment', 'failed', 'refund', 'discount'] as const

/** These rows are imported for cancellation records and analytics. No route publishes the rows themselves. */
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
    discountName: impersonal(nullable(text())),
    discountCents: nullable(summedCents()),
  },
  hidden: { updatedAt: updatedAt() },
})
