import { atMost, db, slot, template, indexedBy, bind } from './compiler.ts'
import { sql } from 'kysely'
import { resultsOf, rowsOf, type Executor } from './executor.ts'

/** A table, a column, a filter or an order that the database does not have does not compile. */
export const misspelt = [
  // @ts-expect-error: there is no such table
  () => db.selectFrom('contatcs').selectAll(),
  // @ts-expect-error: contacts have no such column
  () => db.selectFrom('contacts').select('emial'),
  // @ts-expect-error: nor one to filter by
  () => db.selectFrom('contacts').selectAll().where('emial', '=', slot('email')),
  // @ts-expect-error: nor one to order by
  () => db.selectFrom('contacts').selectAll().orderBy('creatd_at').limit(atMost('limit')),
  // @ts-expect-error: the table of the join has another name for it
  () => db.selectFrom('contacts as c').innerJoin('sites as s', 's.id', 'c.site_id').selectAll(),
  // @ts-expect-error: the service's own tables are known as well
  () => db.updateTable('outbox').set({ lease: slot('token') }),
  // @ts-expect-error: so are those of keys
  () => db.deleteFrom('api_keys').where('owner', '=', slot('owner')),
  // @ts-expect-error: and the columns into which is inserted
  () => db.insertInto('sends').columns(['organization_id', 'sent_at']),
  // @ts-expect-error: a table that is read by an index of its own is no exception
  () => db.selectFrom(indexedBy('outbox', 'o', 'outbox_turns')).select('o.due_at'),
]

/** A contact with the name of its site, if it has one. */
export const contact = template(
  db
    .selectFrom('contacts as c')
    .leftJoin('sites as s', 's.site_id', 'c.site_id')
    .select(['c.contact_id as contactId', 'c.created_at', 's.name']),
)
type ContactRow = NonNullable<typeof contact.rowType>

/** Rows have the types of the columns, under the names by which they are selected. */
export const rows = [
  { contactId: 'a', created_at: 'b', name: null },
  // @ts-expect-error: every contact has the instant of its creation
  { contactId: 'a', created_at: null, name: 'c' },
  // @ts-expect-error: the id is selected under another name
  { contact_id: 'a', created_at: 'b', name: 'c' },
] satisfies readonly ContactRow[]

interface Counted {
  readonly count: number
}

declare const executor: Executor
declare function read(value: unknown): void

const counted = template(sql<Counted>`select count(*) as count from things where id = ${slot('id')}`)
const named = template(sql<{ readonly name: string }>`select name from things`)
const undeclared = template(sql`select name from things`)

/** A row has the columns that are declared beside its SQL, and no others. */
export async function declaredRows(): Promise<number | undefined> {
  const [row] = await rowsOf(executor, bind(counted, { id: 'a' }))
  // @ts-expect-error: the statement does not yield it
  read(row?.name)
  return row?.count
}

/** In a batch, each result has the rows of its own statement. */
export async function declaredResults(): Promise<readonly [number | undefined, string | undefined]> {
  const [counts, names] = await resultsOf(executor, [bind(counted, { id: 'a' }), bind(named, {})])
  // @ts-expect-error: the column belongs to the other statement
  read(counts.rows[0]?.name)
  return [counts.rows[0]?.count, names.rows[0]?.name]
}

/** Rows without declared columns cannot be read. */
export async function undeclaredRows(): Promise<void> {
  const [row] = await rowsOf(executor, bind(undeclared, {}))
  // @ts-expect-error: nothing says that the row has it
  read(row.name)
}
