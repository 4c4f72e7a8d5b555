import type { Generated } from 'kysely'
import type { SourceKind } from '../../protocol.ts'
import type { ColumnType, Tables } from './column.ts'
import { odbcSecondTables } from './odbc-second.ts'
import { odbcSharedTables } from './odbc-shared.ts'

/** The tables of each kind of source, as the files in `schema/` create them. */
export const TABLES = {
  odbc_shared: odbcSharedTables,
  odbc_second: odbcSecondTables,
} as const satisfies Readonly<Record<SourceKind, Tables>>

type TablesOf = typeof TABLES
type EveryTable = TablesOf['odbc_shared'] & TablesOf['odbc_second']

/** The name of a table of a kind of source. */
export type TableName<Kind extends SourceKind = SourceKind> = {
  [Each in Kind]: keyof TablesOf[Each] & keyof EveryTable
}[Kind]

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** The columns of a table: their names, and what they hold. */
export type ColumnOf<Table extends TableName> = {
  [Each in Table]: {
    [Type in keyof EveryTable[Each]]: {
      readonly name: Words<EveryTable[Each][Type]> & string
      readonly type: Type & ColumnType
    }
  }[keyof EveryTable[Each]]
}[Table]

/** The name of a column of a table. */
export type ColumnName<Table extends TableName = TableName> = ColumnOf<Table>['name']

declare const slot: unique symbol

/** The type of a column's value in a statement. No value has it, so that a slot alone can stand in its place. */
export interface Bound {
  readonly [slot]: never
}

/**
 * A row of whichever table a mapping names: a table has some of the columns. Which of them is checked where the mapping is
 * declared.
 */
export type Row = Readonly<Record<ColumnName, Generated<Bound>>>

/** The tables for which statements are built. */
export type Database = Readonly<Record<TableName, Row>>
