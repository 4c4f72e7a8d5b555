import { groups } from '../../record/endpoint.ts'
import { id, integer, nullable, oneOf, text } from '../../record/field.ts'
import { rowGroupsOf } from '../../record/groups.ts'
import { resource } from '../../record/resource.ts'
import { linkEvents } from './link-events.ts'
import { links } from './links.ts'

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
