import type { LinkSource } from '../../ports/sources.ts'
import type { Log, Clock } from '../../ports/platform.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { RecordSource } from '../../ports/records.ts'
import type { KeyWorld } from '../access/authenticate.ts'
import type { RowsFrom } from '../record/endpoint.ts'

/** Opens the rows of an organization at an outside source, without I/O; null: the organization has no such source. */
export type OpenSource<Source extends RecordSource = RecordSource | LinkSource> = (
  organization: Organization,
) => Source | null

/** The sources of rows other than this service's own storage. */
export interface Sources extends Readonly<Record<Exclude<RowsFrom, 'storage'>, OpenSource | null>> {
  /** Null: links are read from this service's own storage. */
  readonly links: OpenSource<LinkSource> | null
  readonly pos: OpenSource
}

/** The ports that a read needs. */
export interface ReadWorld extends KeyWorld {
  readonly sources: Sources
  readonly clock: Clock
  readonly log: Log
  /** See `LOOKED_AT_MAX`, which is the default. */
  readonly looksAtMax?: number
}
