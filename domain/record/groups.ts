import { instantFilter, wordFilter, type Filters } from './filter.ts'
import type { Resource, StoredNameOf } from './resource.ts'

/** The rows that are grouped and the fields that are summed. */
export interface Groups<Name extends string = string> {
  /** The stored collection, and the field to which the time window applies. */
  readonly collection: string
  readonly at: Name
  /** Stored whole-number fields, published under their names. The first one orders the groups. */
  readonly sums: readonly [Name, ...Name[]]
  /** The stored field by which each grouping groups. */
  readonly groupings: Readonly<Record<string, Name>>
  /** The grouping by days, newest first. All other groupings are ordered by the first sum. */
  readonly dayGrouping: string
  /** The grouping by ids, and the published field for the id. In the other groupings that field is null. */
  readonly idGrouping: { readonly grouping: string; readonly field: string }
}

/** Declares groups of a resource's rows, by fields that it stores. */
export function rowGroupsOf<Of extends Resource>(
  of: Of,
  how: Omit<Groups<StoredNameOf<Of>>, 'collection'>,
): Groups {
  return { collection: of.collection, ...how }
}

/** How many days the window has when the caller gives no start. */
export const WINDOW_DAYS = 30

/**
 * The parameters of a read of groups: the grouping, and the time window, with its start included and its end excluded.
 */
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
