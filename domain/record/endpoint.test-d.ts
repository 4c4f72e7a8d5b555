/** Compile-time promises about endpoint records; see resource.test-d.ts. */
import { collection, detail, newestFirst } from './endpoint.ts'
import { id, integer, text, timestamp } from './field.ts'
import { idFilter, listFilter, window, rowGroupsOf } from './filter.ts'
import { resource } from './resource.ts'

const boats = resource({
  name: 'Boat',
  collection: 'boats',
  description: 'It floats.',
  idField: 'boatId',
  fields: { boatId: id(), harbourId: id(), sail: text(), crew: integer(), launchedAt: timestamp() },
})

const read = {
  id: 'boats.list',
  path: '/boats',
  tag: 'Sites',
  summary: 'List boats',
  resource: boats,
} as const
const order = newestFirst('launchedAt', 'boatId')
const filters = { sail: idFilter('sail', 'Of this sail.'), ...window('launchedAt') }

collection({ ...read, filters, order, sorts: ['crew'], parent: { resource: boats, param: 'harbourId' } })
// @ts-expect-error an order is by stored fields
collection({ ...read, filters, order: newestFirst('lauchedAt', 'boatId') })
// @ts-expect-error ties are broken by a stored field
collection({ ...read, filters, order: newestFirst('launchedAt', 'boadId') })
// @ts-expect-error a filter compares a stored field
collection({ ...read, filters: { sail: idFilter('sial', 'Of this sail.') }, order })
// @ts-expect-error a list filter searches a stored list
collection({ ...read, filters: { ...filters, tag: listFilter('tags', 'With this tag.') }, order })
// @ts-expect-error a window bounds a stored field
collection({ ...read, filters: { ...window('lauchedAt') }, order })
// @ts-expect-error rows are sorted by stored fields
collection({ ...read, filters, order, sorts: ['crews'] })
// @ts-expect-error rows refer to their parent by a stored field
collection({ ...read, filters, order, parent: { resource: boats, param: 'harborId' } })
// @ts-expect-error a detail, like a collection, refers to its parent by a stored field
detail({ ...read, parent: { resource: boats, param: 'harborId' } })

const how = { sums: ['crew'], groupings: { day: 'sail' }, dayGrouping: 'day' } as const
const idGrouping = { grouping: 'day', field: 'harbourId' }
rowGroupsOf(boats, { ...how, at: 'launchedAt', idGrouping })
// @ts-expect-error the window of groups bounds a stored field
rowGroupsOf(boats, { ...how, at: 'lauchedAt', idGrouping })
// @ts-expect-error only stored fields are summed
rowGroupsOf(boats, { ...how, sums: ['crews'], at: 'launchedAt', idGrouping })
// @ts-expect-error rows are grouped by stored fields
rowGroupsOf(boats, { ...how, groupings: { day: 'dya' }, at: 'launchedAt', idGrouping })
