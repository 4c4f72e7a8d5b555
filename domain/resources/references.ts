import { reads } from '../reads.ts'
import { storedFields } from '../record/resource.ts'
import { resources } from './index.ts'

/** That rows of a collection contain the id of a row of another one, and are nothing without it. */
export interface Reference {
  readonly to: string
  /** The collection with the id, and its field. */
  readonly from: string
  readonly by: string
}

/** Every reference that the records declare: by `refersTo`, joined fields, tallies, and the parents of nested routes. */
export const references: readonly Reference[] = [
  ...resources.flatMap((resource) => [
    ...storedFields(resource).flatMap(([by, entry]) => {
      if (entry.origin === 'imported' && entry.refersTo !== undefined)
        return [{ to: entry.refersTo, from: resource.collection, by }]
      const tally = entry.origin === 'assigned' ? entry.tally : null
      return tally === null ? [] : [{ to: resource.collection, from: tally.collection, by: tally.by }]
    }),
    ...Object.values(resource.fields).flatMap((entry) =>
      entry.origin === 'joined'
        ? [{ to: entry.join.collection, from: resource.collection, by: entry.join.by }]
        : [],
    ),
  ]),
  ...reads.flatMap((read) =>
    read.kind === 'collection' && read.rowsFrom !== 'pos' && read.parent !== null
      ? [{ to: read.parent.resource.collection, from: read.resource.collection, by: read.parent.param }]
      : [],
  ),
].filter(
  (one, index, all) =>
    all.findIndex(({ to, from, by }) => to === one.to && from === one.from && by === one.by) === index,
)
