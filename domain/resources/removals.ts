import { collection, newestFirst } from '../record/endpoint.ts'
import { id, impersonal, nullable, text } from '../record/field.ts'
import { idFilter, window } from '../record/filter.ts'
import { assigned, updatedAt } from '../record/resource-field.ts'
import { EVERY_COLLECTION, resource } from '../record/resource.ts'

/** For how many days it is known what was removed. */
export const REMOVALS_KEPT_DAYS = 400

/** What a tenant could read and no longer can. Triggers write a row in the batch that removes another one. */
export const removals = resource({
  name: 'Removal',
  collection: 'removals',
  description:
    'Something that could be read and no longer can. `collection` says in which collection; `parentId` is there when the id alone does not name it: the list of a contact on a list (`list-members`), and the organization of a review.',
  idField: 'removalId',
  keptFrom: EVERY_COLLECTION,
  fields: {
    collection: assigned(id()),
    id: assigned(id()),
    parentId: assigned(nullable(id())),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** A JSON array of the collection, the parent's id and the id. */
    removalId: assigned(impersonal(text())),
  },
})

export const listRemovals = collection({
  id: 'removals.list',
  path: '/api/v1/removals',
  tag: 'Removals',
  summary: 'List what was removed',
  description: `Whoever keeps a copy removes from it what is listed here, unless the copy has a later \`updatedAt\`: then the row came again. This collection was added to the interface by this service. What was removed is listed for ${REMOVALS_KEPT_DAYS} days; an earlier \`updatedAfter\` is refused, because a copy that old must be made anew.`,
  resource: removals,
  filters: {
    collection: idFilter('collection', 'Only removals from this collection.'),
    ...window('updatedAt'),
  },
  order: newestFirst('updatedAt', 'removalId'),
  keptDays: REMOVALS_KEPT_DAYS,
})
