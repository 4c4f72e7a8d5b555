import { posSourceKinds } from '../../../../domain/pos/index.ts'
import type { SourceKind } from '../../protocol.ts'
import type { Family } from './family.ts'
import { odbcSecond } from './odbc-second.ts'
import { odbcShared } from './odbc-shared.ts'

/** The tables of every kind of source. */
export const FAMILIES: Readonly<Record<SourceKind, Family>> = {
  odbc_shared: odbcShared,
  odbc_second: odbcSecond,
}

/**
 * Whether each organization has a database of its own at a kind of source: its tenant is then the name of a data
 * source. Otherwise all share one, in which a column tells the tenants apart.
 */
export function hasOwnDatabases(kind: SourceKind): boolean {
  return posSourceKinds[kind].tenantIs === 'source'
}
