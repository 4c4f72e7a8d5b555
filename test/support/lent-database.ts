import type { NodeSqlite } from '../../adapters/node-sqlite/index.ts'
import { openImage } from '../../adapters/node-sqlite/index.ts'
import type { Executor } from '../../adapters/sqlite/index.ts'
import type { Meter } from '../../ports/meter.ts'
import { migratedImage, tablesOf } from './migrated-image.ts'

/** A database as the migrations leave it, which is lent to one test after another. */
interface Lendable {
  readonly database: NodeSqlite
  /** SQLite counts it up with every change of the schema. */
  readonly schemaVersion: Promise<number>
}

/** Has work done when a test is over. */
export type AtTestEnd = (work: () => Promise<void>) => void

/** Triggers that a deletion fires may write to other tables; none of them does so more often than this in a row. */
const ROUNDS_MAX = 5

const unused: Lendable[] = []
let runningTest: () => AtTestEnd | null = () => null

/** Says how to learn that the running test is over; null: none is running. Until it is said, no database is lent. */
export function lendToTests(given: () => AtTestEnd | null): void {
  runningTest = given
}

/**
 * A database that holds nothing but the service's migrations. A test gets it lent: when the test is over, batches reject,
 * and a later test gets the database emptied, unless its schema was changed. To empty it takes a tenth of opening another,
 * for which SQLite reads the whole schema, and prepares every statement anew. Outside of a test, one is opened.
 */
export function lendDatabase(meter: Meter): NodeSqlite {
  const atTestEnd = runningTest()
  if (atTestEnd === null) return openImage(migratedImage(), { meter })
  const lendable = unused.pop() ?? openLendable()
  const { database } = lendable
  let isOver = false
  atTestEnd(async () => {
    isOver = true
    await takeBack(lendable)
  })
  return {
    async batch(statements) {
      if (isOver) throw new Error('The test that this database was lent to is over')
      meter.calls += 1
      return database.batch(statements)
    },
    image: () => database.image(),
    close: () => {
      database.close()
    },
  }
}

function openLendable(): Lendable {
  const database = openImage(migratedImage())
  return { database, schemaVersion: schemaVersionOf(database) }
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
    // The test has closed it, or left what keeps rows from being deleted: nobody gets it again.
  }
}

/**
 * Takes away every row that a fresh database does not have. False: it cannot be made like a fresh one, because triggers go
 * on writing, or rows of the migrations themselves were changed.
 */
async function isEmptied(database: Executor): Promise<boolean> {
  fresh ??= rowCounts(openImage(migratedImage()))
  const wanted = await fresh
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const counts = await rowCounts(database)
    const filled = tables().filter((table) => counts[table] !== wanted[table])
    if (filled.length === 0) return true
    if (filled.some((table) => wanted[table] !== 0)) return false
    // In the end no row is left to refer to another, whatever the order.
    const inAnyOrder = { sql: 'pragma defer_foreign_keys = on', parameters: [] }
    const deletions = filled.map((table) => ({ sql: `delete from "${table}"`, parameters: [] }))
    await database.batch([inAnyOrder, ...deletions])
  }
  return false
}

type RowCounts = Readonly<Record<string, unknown>>

/** Of a database that nobody has written to: the list of its migrations has rows. */
let fresh: Promise<RowCounts> | null = null
let known: readonly string[] | null = null

/** The tables of the service, and the one in which SQLite keeps the numbers of its journals. */
function tables(): readonly string[] {
  return (known ??= [...tablesOf(migratedImage()), 'sqlite_sequence'])
}

/** How many rows each table has. */
async function rowCounts(database: Executor): Promise<RowCounts> {
  const columns = tables().map((table) => `(select count(*) from "${table}") as "${table}"`)
  const [counted] = await database.batch([{ sql: `select ${columns.join(', ')}`, parameters: [] }])
  return counted?.rows[0] ?? {}
}
