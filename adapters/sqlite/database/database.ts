import type { Generated } from 'kysely'
import type { StoredKey, Organization, StoredOperatorKey } from '../../../ports/organizations.ts'
import type { RowOf } from '../../../domain/record/resource.ts'
import type { DeclaredResource } from '../../../domain/resources/index.ts'
import type { ServiceColumn, serviceTables, serviceViews } from './service-tables.ts'
import type { StoredRow } from './stored.ts'

/** `form-submissions` is stored in `form_submissions`. */
type TableName<Collection extends string> = Collection extends `${infer Start}-${infer Rest}`
  ? `${Start}_${TableName<Rest>}`
  : Collection

/** The tables of the records: the organization, then the stored fields. */
type RecordTables = {
  readonly [Of in DeclaredResource as TableName<Of['collection']>]: {
    readonly organization_id: string
  } & StoredRow<RowOf<Of>>
}

/** The tables of organizations and of keys, with the columns that no port shows. */
interface AccountTables {
  readonly organizations: StoredRow<Organization> & { readonly clock_at: Generated<string> }
  readonly api_keys: StoredRow<StoredKey>
  readonly operator_keys: StoredRow<StoredOperatorKey> & {
    readonly proof: string | null
    readonly descent_ended_at: string | null
  }
}

/** The tables of a declaration in `service-tables.ts`. */
type Declared<Tables> = {
  readonly [Table in keyof Tables]: {
    readonly [Column in keyof Tables[Table]]: ValueType<Tables[Table][Column]>
  }
}

type ValueType<Of> =
  Of extends ServiceColumn<infer Value, infer Given>
    ? NonNullable<ServiceColumn<Value, Given>['valueType']>
    : never

/** SQLite's own table of the schema. */
interface SchemaTable {
  readonly sqlite_master: {
    readonly type: 'table' | 'index' | 'view' | 'trigger'
    readonly name: string
    readonly tbl_name: string
    readonly sql: string
  }
}

/**
 * Every table with its columns, derived from the records of the domain and the service's own tables. A statement that
 * names another one does not compile.
 */
export type Database = RecordTables &
  AccountTables &
  Declared<typeof serviceTables> &
  Declared<typeof serviceViews> &
  SchemaTable
