import { splitStatements, type Migration } from '../../../sqlite/migration.ts'
import { createFacts, writeFact, type SchemaPosition } from '../facts.ts'
import type { ObjectDatabase } from '../object-database.ts'

/** SQL to run in one transaction, and the position of the schema after it. */
export interface SchemaStep {
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
