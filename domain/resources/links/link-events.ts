import {
  date,
  id,
  impersonal,
  integer,
  nullable,
  oneOf,
  summedCents,
  text,
  timestamp,
} from '../../record/field.ts'
import { derived, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'

const events = ['click', 'lead', 'sale'] as const

const DIMENSION_MAX_LENGTH = 200

/** A field by which events are grouped. Its length is bounded, because a cursor contains its value. */
const dimension = () => nullable(impersonal(text(DIMENSION_MAX_LENGTH)))

/** These rows are imported for the counts and the analytics of links. No route publishes the rows themselves. */
export const linkEvents = resource({
  name: 'LinkEvent',
  collection: 'link-events',
  description: 'One click on a link, or a lead or sale that came of one.',
  idField: 'eventId',
  selectsMany: { linkId: ['occurredAt'] },
  fields: {
    eventId: id(),
    linkId: id(),
    occurredAt: timestamp(),
    event: oneOf(events),
    amountCents: nullable(summedCents()),
    country: dimension(),
    city: dimension(),
    device: dimension(),
    browser: dimension(),
    os: dimension(),
    referrer: dimension(),
  },
  hidden: {
    updatedAt: updatedAt(),
    /** The UTC day of the event. */
    day: derived(date()),
    clicks: derived(integer(0, 1)),
    leads: derived(integer(0, 1)),
    sales: derived(integer(0, 1)),
    saleAmountCents: derived(integer()),
  },
  derive: {
    day: ({ occurredAt }) => occurredAt.slice(0, 10),
    clicks: ({ event }) => Number(event === 'click'),
    leads: ({ event }) => Number(event === 'lead'),
    sales: ({ event }) => Number(event === 'sale'),
    saleAmountCents: ({ event, amountCents }) => (event === 'sale' ? (amountCents ?? 0) : 0),
  },
})
