import { storedFields, type Resource } from '../../../../domain/record/resource.ts'
import type { Tally } from '../../../../domain/record/tally.ts'
import { resourceOf, resources } from '../../../../domain/resources/index.ts'

/** The tallies that a resource has of the rows of another resource, which refer to it by one field. */
export interface TallySet {
  readonly parent: Resource
  readonly child: Resource
  readonly by: string
  /** The fields that store the tallies. */
  readonly fields: readonly (readonly [string, Tally])[]
}

/** The tallies of all records, grouped by the rows that change them. */
export function tallies(): readonly TallySet[] {
  return resources.flatMap((parent) => {
    const all = storedFields(parent).flatMap(([name, entry]) =>
      entry.origin === 'assigned' && entry.tally !== null ? [[name, entry.tally] as const] : [],
    )
    const groups = Map.groupBy(all, ([, { collection, by }]) => `${collection} ${by}`)
    return [...groups.values()].flatMap((fields) => {
      const [first] = fields
      return first === undefined
        ? []
        : [{ parent, child: resourceOf(first[1].collection), by: first[1].by, fields }]
    })
  })
}
