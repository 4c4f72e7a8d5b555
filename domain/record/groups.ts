import type { Filters } from './filter.ts'
import { instantFilter, wordFilter } from './filter.ts'
import type { Resource, StoredNameOf } from './resource.ts'

/** The rows that are grouped and the fields that are added up. */
export interface Groups<Name extends string = string> {
  /** The stored collection, and its field that the window bounds. */
  readonly collection: string
  readonly at: Name
  /** Stored whole-number fields, published under their names. The first one orders the groups. */
  readonly sums: readonly [Name, ...Name[]]
  /** For each grouping the stored field that makes the groups. */
  readonly groupings: Readonly<Record<string, Name>>
  /** The grouping whose values are days, newest first; the others go by the first sum. */
  readonly dayGrouping: string
  /** The grouping whose values are ids of this published field, which is null in the others. */
  readonly idGrouping: { readonly grouping: string; readonly field: string }
}

/** Groups of a resource's rows, by fields that it stores. */
export function groupsOf<Of extends Resource>(
  of: Of,
  how: Omit<Groups<StoredNameOf<Of>>, 'collection'>,
): Groups {
  return { collection: of.collection, ...how }
}

/** How many days the window has when the caller gives no start. */
export const WINDOW_DAYS = 30

/** The parameters of a read of groups: how to group, and the window of time, its start included and its end not. */
export function groupFilters({ at, groupings }: Groups, defaultGrouping: string): Filters {
  const [first = defaultGrouping, ...more] = Object.keys(groupings)
  return {
    groupBy: wordFilter(
      'groupBy',
      [first, ...more],
      `What makes a group, \`${defaultGrouping}\` by default.`,
    ),
    start: instantFilter(
      at,
      'atLeast',
      `Only what happened at or after this instant; by default ${WINDOW_DAYS} days before \`end\`.`,
    ),
    end: instantFilter(
      at,
      'below',
      'Only what happened before this instant; by default the end of the present day (UTC).',
    ),
  }
}
