import { id, impersonal, integer, nullable, oneOf, text, timestamp } from '../../record/field.ts'
import { updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'

const events = ['viewed', 'accepted', 'declined'] as const

/** These rows are imported for the analytics of retention offers. No route publishes the rows themselves. */
export const retentionOfferEvents = resource({
  name: 'RetentionOfferEvent',
  collection: 'retention-offer-events',
  description: 'A member who wanted to leave saw an offer to stay, or decided on it.',
  idField: 'eventId',
  fields: {
    eventId: id(),
    offerId: id(),
    offerName: impersonal(text()),
    targetPlanName: impersonal(nullable(text())),
    targetPlanPriceCents: nullable(integer()),
    membershipId: nullable(id()),
    event: oneOf(events),
    occurredAt: timestamp(),
  },
  hidden: { updatedAt: updatedAt() },
})
