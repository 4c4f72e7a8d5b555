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
} from '../record/field.ts'
import { derived, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { groups } from '../record/endpoint.ts'
import { rowGroupsOf } from '../record/filter.ts'
import { links } from './links.ts'

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

const groupings = ['day', 'link', 'country', 'city', 'device', 'browser', 'os', 'referrer'] as const

/** The published form of a group of link events. Not stored. */
const linkAnalytics = resource({
  name: 'LinkAnalytics',
  collection: linkEvents.collection,
  description:
    'What came of links within a window of time, of one group. `value` is null for events of which it is unknown; grouped by `link` it is the linkId, grouped by `day` a UTC day. Groups in which nothing happened are left out.',
  idField: 'value',
  fields: {
    linkId: nullable(id()),
    dimension: oneOf(groupings),
    value: nullable(text()),
    clicks: integer(0),
    leads: integer(0),
    sales: integer(0),
    saleAmountCents: integer(),
  },
})

const ofEvents = rowGroupsOf(linkEvents, {
  at: 'occurredAt',
  sums: ['clicks', 'leads', 'sales', 'saleAmountCents'],
  groupings: {
    day: 'day',
    link: 'linkId',
    country: 'country',
    city: 'city',
    device: 'device',
    browser: 'browser',
    os: 'os',
    referrer: 'referrer',
  },
  dayGrouping: 'day',
  idGrouping: { grouping: 'link', field: 'linkId' },
})

const ORDER =
  'Groups that tie go by value, null last. A page behind a cursor shows the counts of its own moment.'

export const analyzeLinks = groups({
  id: 'links.analyze',
  path: '/api/v1/links/analytics',
  tag: 'Links',
  summary: 'Analyze all links',
  description: `\`linkId\` is null unless grouped by \`link\`. ${ORDER}`,
  resource: linkAnalytics,
  rowsFrom: 'links',
  groups: ofEvents,
  defaultGrouping: 'link',
})

export const analyzeLink = groups({
  id: 'links.analyzeOne',
  path: '/api/v1/links/{linkId}/analytics',
  tag: 'Links',
  summary: 'Analyze one link',
  description: ORDER,
  resource: linkAnalytics,
  rowsFrom: 'links',
  groups: ofEvents,
  defaultGrouping: 'day',
  parent: { resource: links, param: 'linkId' },
})
