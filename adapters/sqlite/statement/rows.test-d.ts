import { sql } from 'kysely'
import { bind, slot, template } from './compiler.ts'
import { resultsOf, rowsOf, type Executor } from './executor.ts'

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
