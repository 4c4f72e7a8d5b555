import { sql, type AliasedExpression, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Family, TableMapping } from '../families/family.ts'
import type { RecordedValue } from '../tables/column.ts'
import type { ColumnName } from '../tables/database.ts'
import type { Codec } from '../values/codec.ts'
import type { Dialect } from './dialect.ts'

/** The tenant whose rows are read, and the dialect of the database. */
export interface Scope {
  readonly family: Family
  readonly dialect: Dialect
  readonly tenant: string
}

/** What the text of a statement depends on: everything of a scope but the tenant, whose name is bound. */
export type Place = Omit<Scope, 'tenant'>

/** A column; where a statement has several tables, with the alias of its table. */
export function columnNamed(name: ColumnName, alias?: 'e' | 'x'): RawBuilder<RecordedValue> {
  return sql.ref(alias === undefined ? name : `${alias}.${name}`)
}

/** The columns of every field, as `c0`, `c1`, … in the order in which `neutralRow` reads them. */
export function columnsOf(
  { fields }: TableMapping,
  dialect: Dialect,
  alias?: 'e',
): readonly AliasedExpression<RecordedValue, string>[] {
  const codecs: readonly Codec[] = Object.values(fields)
  return codecs
    .flatMap(({ columns }) => columns)
    .map(({ name, type }, index) => dialect.column(columnNamed(name, alias), type).as(`c${index}`))
}

/** The condition that a row is the tenant's, whose name is in the slot `tenant`; none where nobody shares the database. */
export function ofTenant({ family, dialect }: Place, alias?: 'e' | 'x'): readonly Expression<SqlBool>[] {
  const { tenantColumn } = family
  if (tenantColumn === null) return []
  return [sql`${columnNamed(tenantColumn, alias)} = ${dialect.value('tenant', 'text')}`]
}
