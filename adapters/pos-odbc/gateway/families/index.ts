import type { SourceKind } from '../../protocol.ts'
import type { Family } from '../family.ts'
import { odbcSecond } from './odbc-second.ts'
import { odbcShared } from './odbc-shared.ts'

/** The tables of every kind of source. */
export const FAMILIES: Readonly<Record<SourceKind, Family>> = {
  odbc_shared: odbcShared,
  odbc_second: odbcSecond,
}
