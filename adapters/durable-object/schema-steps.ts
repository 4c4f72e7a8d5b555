import { splitStatements } from '../sqlite/statement/split-statements.ts'
import type { SchemaPosition } from './facts.ts'
import { createFacts, writeFact } from './facts.ts'
import type { ObjectDatabase } from './object-database.ts'

/** A file of `adapters/sqlite/migrations`. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

/** What is done in one transaction, and where the object is afterwards. */
export interface SchemaStep {
  readonly sql: string
  readonly after: SchemaPosition
}

/** Unique indexes are not among them: upserts and uniqueness depend on them, so they are made with their tables. */
const ABOUT_INDEX = /^(?:create\s+index|drop\s+index)\b/i

/** Gives an empty object all tables and indexes. Called in a transaction. */
export function createSchema(database: ObjectDatabase, migrations: readonly Migration[]): SchemaPosition {
  createFacts(database)
  for (const { sql } of migrations) database.script(sql)
  const newest = migrations.at(-1)?.name ?? ''
  const position = { tables: newest, indexes: newest, indexesBeyond: 0 }
  writeFact(database, 'schema', position)
  return position
}

/** Whether migrations up to `newest` are not yet all applied. An object that a later version has used is not behind. */
export function isBehind({ tables, indexes }: SchemaPosition, newest: string): boolean {
  return tables < newest || indexes < newest
}

/**
 * What is left to be done, in order. First the tables, columns, triggers and rows of all migrations, each migration in one
 * transaction, so that no write falls between a trigger and what fills its table: statements of a new version need them.
 * Then the indexes, one by one: statements do without one that is not there yet, and each may take long to build.
 */
export function pendingSteps(
  position: SchemaPosition,
  migrations: readonly Migration[],
): readonly SchemaStep[] {
  const steps: SchemaStep[] = []
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
      steps.push({ sql: statement, after: at })
    }
    at = { ...at, indexes: name, indexesBeyond: 0 }
    steps.push({ sql: '', after: at })
  }
  return steps
}

/** Statements as one text. The last one of a file may lack its semicolon. */
function joined(statements: readonly string[]): string {
  return statements.map((statement) => statement.replace(/;?$/, ';')).join('\n')
}

/** Does a step and remembers it, in one transaction. */
export function applyStep(database: ObjectDatabase, { sql, after }: SchemaStep): void {
  database.transaction(() => {
    if (sql !== '') database.script(sql)
    writeFact(database, 'schema', after)
  })
}
