import type { Clock, Log } from '../../../ports/platform.ts'
import type { ObjectDatabase } from './batch.ts'
import { splitStatements, type Migration } from '../../sqlite/migration.ts'
import type { State } from './states.ts'

/** No new step is begun after this long, in ms. A step is never cut short. */
const BUDGET_MS = 200

/** After how many ms the alarm continues the steps: soon when steps are left, later when a step failed. */
const GO_ON_AFTER_MS = 1_000
const TRY_AGAIN_AFTER_MS = 60_000

/** How late the alarm may be, in ms, before a call takes the steps that it was set for. */
const LATE_MS = 5_000

/** The migrations that this version of the service contains. */
export interface Migrations {
  /** The name of the last migration, known without loading their texts. */
  readonly newest: string
  load(): Promise<readonly Migration[]>
}

interface BringUpTools {
  readonly database: ObjectDatabase
  readonly clock: Clock
  readonly log: Log
  readonly migrations: Migrations
  /** Yields to other calls of the object. The platform's clock may stand still until then. */
  readonly breathe: () => Promise<void>
  readonly position: SchemaPosition | null
}

/** Brings the schema of one object up to date, in bounded steps. */
export interface BringUp {
  /** Whether the object's schema is exactly this version's. */
  isExact(): boolean
  /** When the alarm should continue the steps, in ms since 1970; null: there is nothing to do. */
  goOnAtMs(): number | null
  /** Whether some tables of this migration may still be missing. */
  lacks(migration: string): boolean
  /**
   * Takes steps towards the schema of a later version of the service, for a bounded time. Never rejects. False: a step
   * failed.
   */
  advanceTo(migrations: readonly Migration[]): Promise<boolean>
  /**
   * Takes steps for a bounded time. Concurrent callers wait for the same steps. Never rejects, because an object can
   * serve with an older schema.
   */
  advance(): Promise<void>
  /**
   * Like `advance`, but only for the first calls after the instance has started, and when the alarm that should go on has
   * not rung. Returns whether steps were attempted.
   */
  advanceWhenDue(): Promise<boolean>
  /** To be called when the schema has been created, or removed (null). */
  changed(position: SchemaPosition | null): void
}

export function createBringUp(tools: BringUpTools): BringUp {
  const { database, clock, log, migrations, breathe } = tools
  let { position } = tools
  let goOnAtMs: number | null = null
  let running: Promise<void> | null = null
  let hasBegun = false

  const steps = async (all: readonly Migration[]): Promise<void> => {
    const startedMs = clock.nowMs()
    while (position !== null && clock.nowMs() - startedMs <= BUDGET_MS) {
      const [step] = pendingSteps(position, all)
      if (step === undefined) return
      applyStep(database, step)
      position = step.after
      await breathe()
    }
  }
  const report = (error: unknown) => {
    log.error('object_schema_step_failed', { migration: position?.tables ?? null }, error)
  }
  const isBehindNow = () => position !== null && isBehind(position, migrations.newest)
  const advance = async (): Promise<void> => {
    hasBegun = true
    if (!isBehindNow()) return
    let waitMs = GO_ON_AFTER_MS
    try {
      await steps(await migrations.load())
    } catch (error) {
      waitMs = TRY_AGAIN_AFTER_MS
      report(error)
    }
    goOnAtMs = isBehindNow() ? clock.nowMs() + waitMs : null
  }
  const together = (): Promise<void> => {
    running ??= advance().finally(() => {
      running = null
    })
    return running
  }
  return {
    isExact: () => position?.tables === migrations.newest && position.indexes === migrations.newest,
    goOnAtMs: () => goOnAtMs,
    lacks: (migration) => position !== null && position.tables < migration,
    async advanceTo(all) {
      try {
        await steps(all)
        return true
      } catch (error) {
        report(error)
        return false
      }
    },
    advance: together,
    async advanceWhenDue() {
      const isLate = goOnAtMs !== null && clock.nowMs() >= goOnAtMs + LATE_MS
      const isDue = running !== null || isLate || (!hasBegun && isBehindNow())
      if (isDue) await together()
      return isDue
    },
    changed(given) {
      position = given
      goOnAtMs = null
    },
  }
}

/** SQL to run in one transaction, and the position of the schema after it. */
interface SchemaStep {
  readonly sql: string
  readonly after: SchemaPosition
}

/**
 * Matches statements about indexes, except unique ones: upserts and uniqueness depend on those, so they are created
 * with their tables.
 */
const ABOUT_INDEX = /^(?:create\s+index|drop\s+index)\b/i

/** The table of an index that is created, and a table that is dropped. */
const INDEX_ON = /^create\s+index\s+\w+\s+on\s+(\w+)/i
const DROPPED = /^drop\s+table\s+(\w+)/i

/** Gives an empty object all tables and indexes. Called in a transaction. */
export function createSchema(database: ObjectDatabase, migrations: readonly Migration[]): SchemaPosition {
  createFacts(database)
  for (const { sql } of migrations) database.script(sql)
  const newest = migrations.at(-1)?.name ?? ''
  const position = { tables: newest, indexes: newest, indexesBeyond: 0 }
  writeFact(database, 'schema', position)
  return position
}

/**
 * Whether some migration up to `newest` is not completely applied. False for an object that a later version has used.
 */
export function isBehind({ tables, indexes }: SchemaPosition, newest: string): boolean {
  return tables < newest || indexes < newest
}

/**
 * The steps that are left, in order. First the tables, columns, triggers and rows of all migrations, because the
 * statements of a new version need them. Each migration is one transaction, so that no write can come between the
 * creation of a trigger and the statement that fills its table. Then the indexes, one by one: statements work without a
 * missing index, and building one may take long.
 */
export function pendingSteps(
  position: SchemaPosition,
  migrations: readonly Migration[],
): readonly SchemaStep[] {
  const steps: SchemaStep[] = []
  // Their tables are gone by then.
  const dropped = new Set(
    migrations.flatMap(({ sql }) => splitStatements(sql)).map((statement) => DROPPED.exec(statement)?.[1]),
  )
  let at = position
  for (const { name, sql } of migrations.filter((migration) => migration.name > position.tables)) {
    at = { ...at, tables: name }
    const statements = splitStatements(sql).filter((statement) => !ABOUT_INDEX.test(statement))
    steps.push({ sql: joined(statements), after: at })
  }
  for (const { name, sql } of migrations.filter((migration) => migration.name > position.indexes)) {
    const statements = splitStatements(sql).filter((statement) => ABOUT_INDEX.test(statement))
    for (const statement of statements.slice(at.indexesBeyond)) {
      at = { ...at, indexesBeyond: at.indexesBeyond + 1 }
      const [, table = ''] = INDEX_ON.exec(statement) ?? []
      steps.push({ sql: dropped.has(table) ? '' : statement, after: at })
    }
    at = { ...at, indexes: name, indexesBeyond: 0 }
    steps.push({ sql: '', after: at })
  }
  return steps
}

/** Joins statements into one text. The last statement of a file may lack its semicolon. */
function joined(statements: readonly string[]): string {
  return statements.map((statement) => statement.replace(/;?$/, ';')).join('\n')
}

/** Applies a step and stores the new position, in one transaction. */
export function applyStep(database: ObjectDatabase, { sql, after }: SchemaStep): void {
  database.transaction(() => {
    if (sql !== '') database.script(sql)
    writeFact(database, 'schema', after)
  })
}

/** The table of what an object knows about itself: a name and a JSON value in each row. A move does not copy it. */
const TABLE = 'object_facts'

/** How far the schema of an object has come. The names of migrations sort in the order in which they are applied. */
interface SchemaPosition {
  /** The last migration of which everything but the indexes is applied. */
  readonly tables: string
  /** The last migration whose indexes are all there. */
  readonly indexes: string
  /** How many index statements of the migration after `indexes` are applied too. */
  readonly indexesBeyond: number
}

/** The facts of an object, by name. */
interface Facts {
  readonly state: State
  readonly schema: SchemaPosition
}

/** Creates the table of facts. Called in the transaction that gives an empty object its tables. */
export function createFacts(database: ObjectDatabase): void {
  database.script(`create table if not exists ${TABLE} (name text primary key, value text not null) strict`)
}

/** Reads the facts of an object; null: it stores nothing. Writes nothing, so an empty object stays empty. */
export function readFacts(database: ObjectDatabase): Facts | null {
  const found = database.run(`select 1 from sqlite_master where type = 'table' and name = '${TABLE}'`)
  if (found.rows.length === 0) return null
  const facts = database.run(`select name, value from ${TABLE}`).rows
  const read = new Map(facts.map(([name, value]) => [name, JSON.parse(String(value)) as unknown]))
  const [state, schema] = [read.get('state'), read.get('schema')]
  // Both facts are written in the transaction that creates the table, so neither can be missing.
  if (state === undefined || schema === undefined) throw new Error('An object does not know its state')
  return { state, schema } as Facts
}

/** Writes a fact, replacing its earlier value. */
export function writeFact<Name extends keyof Facts>(
  database: ObjectDatabase,
  name: Name,
  value: Facts[Name],
): void {
  const sql = `insert into ${TABLE} (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`
  database.run(sql, [name, JSON.stringify(value)])
}
