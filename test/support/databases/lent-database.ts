import { openImage, type NodeSqlite } from '../../../adapters/node-sqlite/index.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import type { Meter } from '../../../ports/platform.ts'
import { describingOnce } from './kept-descriptions.ts'
import { migratedImage, tablesOf } from './migrated-image.ts'

/** A migrated database that is lent to one test after another. */
interface Lendable {
  readonly database: NodeSqlite
  /** The database, which keeps the descriptions of its tables for all tests that it is lent to. */
  readonly executor: Executor
  /** SQLite increments it with every change of the schema. */
  readonly schemaVersion: Promise<number>
}

/** Registers work for the end of the running test. */
export type AtTestEnd = (work: () => Promise<void>) => void

/**
 * The maximum number of rounds of deletions. Triggers may write to other tables when rows are deleted, but never more
 * often than this in a row.
 */
const ROUNDS_MAX = 5

const unused: Lendable[] = []
let runningTest: () => AtTestEnd | null = () => null

/**
 * Sets how to register work for the end of the running test; null: no test is running. Before that is set, no database
 * is lent.
 */
export function lendToTests(given: () => AtTestEnd | null): void {
  runningTest = given
}

/**
 * A database with nothing but the service's migrations, lent to the running test. When the test is over, batches
 * reject, and a later test gets the database emptied, unless its schema was changed. Emptying it takes a tenth of the
 * time to open another one, for which SQLite reads the whole schema and prepares every statement again. Outside of a
 * test, a new database is opened.
 */
export function lendDatabase(meter: Meter): NodeSqlite {
  const atTestEnd = runningTest()
  if (atTestEnd === null) return openImage(migratedImage(), { meter })
  const lendable = unused.pop() ?? openLendable()
  const { database, executor } = lendable
  let isOver = false
  atTestEnd(async () => {
    isOver = true
    await takeBack(lendable)
  })
  return {
    async batch(statements) {
      if (isOver) throw new Error('The test that this database was lent to is over')
      meter.calls += 1
      return executor.batch(statements)
    },
    image: () => database.image(),
    close: () => {
      database.close()
    },
  }
}

function openLendable(): Lendable {
  const database = openImage(migratedImage())
  return { database, executor: describingOnce(database), schemaVersion: schemaVersionOf(database) }
}

async function schemaVersionOf(database: Executor): Promise<number> {
  const [found] = await database.batch([{ sql: 'pragma schema_version', parameters: [] }])
  return Number(found?.rows[0]?.schema_version)
}

async function takeBack(lendable: Lendable): Promise<void> {
  const { database, schemaVersion } = lendable
  try {
    if ((await schemaVersionOf(database)) === (await schemaVersion) && (await isEmptied(database)))
      unused.push(lendable)
  } catch {
    // The test has closed the database, or has left it in a state in which rows cannot be deleted. It is not lent
    // again.
  }
}

/**
 * Deletes all rows that a fresh database does not have. False: that failed, because triggers keep writing, or rows of
 * the migrations themselves were changed.
 */
async function isEmptied(database: Executor): Promise<boolean> {
  fresh ??= rowCounts(openImage(migratedImage()))
  const wanted = await fresh
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const counts = await rowCounts(database)
    const filled = tables().filter((table) => counts[table] !== wanted[table])
    if (filled.length === 0) return true
    if (filled.some((table) => wanted[table] !== 0)) return false
    // Constraints are checked at the end, when no rows are left that refer to others, so the order of deletions does
    // not matter.
    const inAnyOrder = { sql: 'pragma defer_foreign_keys = on', parameters: [] }
    const deletions = filled.map((table) => ({ sql: `delete from "${table}"`, parameters: [] }))
    await database.batch([inAnyOrder, ...deletions])
  }
  return false
}

type RowCounts = Readonly<Record<string, unknown>>

/** The row counts of an unused database, whose list of migrations has rows. */
let fresh: Promise<RowCounts> | null = null
let known: readonly string[] | null = null

/** The tables of the service, and the table in which SQLite stores the last AUTOINCREMENT numbers. */
function tables(): readonly string[] {
  return (known ??= [...tablesOf(migratedImage()), 'sqlite_sequence'])
}

/** The number of rows in each table. */
async function rowCounts(database: Executor): Promise<RowCounts> {
  const columns = tables().map((table) => `(select count(*) from "${table}") as "${table}"`)
  const [counted] = await database.batch([{ sql: `select ${columns.join(', ')}`, parameters: [] }])
  return counted?.rows[0] ?? {}
}
