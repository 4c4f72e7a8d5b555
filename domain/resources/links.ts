import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { boolean, id, impersonal, nullable, text, textList, timestamp } from '../record/field.ts'
import { booleanFilter, idFilter, listFilter, window } from '../record/filter.ts'
import { orElse, orNow, updatedAt, countOf, latestOf, sumOf } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const EVENTS = 'link-events'
const isEvent = (event: string) => ({ field: 'event', words: [event] })

export const links = resource({
  name: 'Link',
  collection: 'links',
  description: 'A short link, and what came of it so far.',
  idField: 'linkId',
  removal: true,
  fields: {
    linkId: id(),
    domain: impersonal(text()),
    key: impersonal(text()),
    shortUrl: impersonal(text()),
    url: impersonal(text()),
    title: impersonal(nullable(text())),
    tags: orElse(impersonal(textList()), []),
    archived: orElse(boolean(), false),
    clicks: countOf(EVENTS, 'linkId', isEvent('click')),
    leads: countOf(EVENTS, 'linkId', isEvent('lead')),
    sales: countOf(EVENTS, 'linkId', isEvent('sale')),
    saleAmountCents: sumOf(EVENTS, 'linkId', 'saleAmountCents'),
    expiresAt: nullable(timestamp()),
    lastClickedAt: latestOf(EVENTS, 'linkId', 'occurredAt', isEvent('click')),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listLinks = collection({
  id: 'links.list',
  path: '/api/v1/links',
  tag: 'Links',
  summary: 'List links',
  description:
    'An event counts as a change of its link: `updatedAt` moves. A link that is clicked while it is paged through in order of `clicks` or `lastClickedAt` may be seen twice or not at all.',
  resource: links,
  rowsFrom: 'links',
  filters: {
    archived: booleanFilter('archived', 'Only links that are archived, or only those that are not.'),
    domain: idFilter('domain', 'Only links of this domain.'),
    tag: listFilter('tags', 'Only links that carry this tag.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'linkId'),
  sorts: ['createdAt', 'clicks', 'lastClickedAt'],
  maxLimit: 100,
})

export const getLink = detail({
  id: 'links.get',
  path: '/api/v1/links/{linkId}',
  tag: 'Links',
  summary: 'Retrieve a link',
  resource: links,
  rowsFrom: 'links',
})
