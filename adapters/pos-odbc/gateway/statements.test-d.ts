import { slot } from '../../sql/statement.ts'
import * as as from './codec.ts'
import { db, columnNamed } from './statements.ts'
import type { TableMapping } from './mappings.ts'

/** A table or a column that no source has does not compile in a statement. */
export const statements = [
  // @ts-expect-error: there is no such table
  () => db.selectFrom('pos_sales'),
  // @ts-expect-error: no table has such a column
  () => db.selectFrom('pos_sale').select('sale_nr'),
  // @ts-expect-error: nor one to filter by
  () => db.selectFrom('pos_sale').where('sale_nr', '=', slot('id')),
  // @ts-expect-error: nor one to order by
  () => db.selectFrom('pos_sale').orderBy('completed_at'),
  // @ts-expect-error: nor one to write into
  () => db.insertInto('pos_sale').values({ sale_nr: slot('id') }),
  // @ts-expect-error: a value is bound later, through a slot
  () => db.selectFrom('pos_sale').where('sale_no', '=', 'x'),
  // @ts-expect-error: nor one by its name alone
  () => columnNamed('sale_nr'),
]

const sales = { table: 'pos_sale', idColumn: 'sale_no', fields: { siteCode: as.text('site_no') } } as const

/** Nor does it in a mapping, whose columns are those of its own table. */
export const mappings = [
  sales,
  // @ts-expect-error: there is no such table
  { ...sales, table: 'pos_sales' },
  // @ts-expect-error: it is a table of another kind of source
  { table: 'Ticket', idColumn: 'TicketId', fields: {} },
  // @ts-expect-error: the table has no such column
  { ...sales, idColumn: 'sale_nr' },
  // @ts-expect-error: another table has it
  { ...sales, idColumn: 'membership_no' },
  // @ts-expect-error: the column of a field is another table's
  { ...sales, fields: { siteCode: as.text('home_site_no') } },
  // @ts-expect-error: no table has the column of the field
  { ...sales, fields: { siteCode: as.text('site_nr') } },
  // @ts-expect-error: the column holds an instant
  { ...sales, fields: { completedAt: as.text('completed_utc') } },
  // @ts-expect-error: the column to filter by holds an amount
  { ...sales, fields: { emailKey: as.emailKey('total_amount') } },
] satisfies readonly TableMapping<'odbc_shared'>[]
