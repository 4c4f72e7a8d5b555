import type { GroupPosition, GroupsQuery, StoredRow } from '../records/query.ts'
import type { RecordSource, SourceFailure, SourceRefusal } from '../records/record-source.ts'

/** One page of groups, or why there is none. */
export type SourceGroups =
  | {
      readonly kind: 'groups'
      /** Each row has `value` and the sums by name. */
      readonly rows: readonly StoredRow[]
      /** Where the next page starts; null: this is the last one. */
      readonly next: GroupPosition | null
    }
  | SourceRefusal
  | SourceFailure

/**
 * One organization's links outside this service: the collection `links` with the fields that the resource declares, and
 * sums over `link-events`. It refuses queries that it does not support, and names the field.
 */
export interface LinkSource extends RecordSource {
  /** At most `query.limit` groups in the query's order after `query.after`. Never rejects; see `RecordSource`. */
  groups(query: GroupsQuery): Promise<SourceGroups>
}
