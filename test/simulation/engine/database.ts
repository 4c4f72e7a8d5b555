import { DatabaseSync } from 'node:sqlite'
import { createExecutor } from '../../../adapters/node-sqlite/executor.ts'
import type { BoundValue, Executor } from '../../../adapters/sqlite/index.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { migratedImage } from '../../support/scratch-storage.ts'

/** A real database of the simulated world. It outlives every process, and its time is the simulation's. */
export interface SimulatedDatabase extends Executor {
  readonly name: string
  /** Reads past all ports, for checks. */
  look(sql: string, ...parameters: readonly BoundValue[]): readonly Readonly<Record<string, unknown>>[]
  close(): void
}

/**
 * Opens an empty, migrated database. SQLite's own clock is replaced by simulated time, in the text of the statements.
 * @param rewrite what else is changed in statements, to plant a fault
 */
export function openSimulatedDatabase(
  name: string,
  nowMs: () => number,
  rewrite: (sql: string) => string = (sql) => sql,
): SimulatedDatabase {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  database.deserialize(migratedImage())
  database.function('simulated_now', () => toInstant(nowMs()))
  const executor = createExecutor(database)
  const rewritten = new Map<string, string>()
  const inSimulatedTime = (sql: string): string => {
    const known = rewritten.get(sql)
    if (known !== undefined) return known
    const made = rewrite(sql).replaceAll("'now'", 'simulated_now()')
    rewritten.set(sql, made)
    return made
  }
  return {
    name,
    batch: (statements) =>
      executor.batch(statements.map((statement) => ({ ...statement, sql: inSimulatedTime(statement.sql) }))),
    look: (sql, ...parameters) => database.prepare(sql).all(...parameters),
    close: () => {
      database.close()
    },
  }
}

/** What a batch does, in a few words: the first statement that writes, or else the first. */
export function nameOfBatch(statements: readonly { readonly sql: string }[]): string {
  const texts = statements.map(({ sql }) => sql.replaceAll(/\s+/g, ' ').trim())
  const main = texts.find((sql) => !sql.startsWith('select') && !sql.startsWith('with')) ?? texts[0] ?? ''
  const [, verb = '', table = ''] =
    /^(insert into|update|delete from|replace into) "?(\w+)/.exec(main) ??
    /^(select|with) .*?from "?(\w+)/.exec(main) ??
    []
  const more = statements.length > 1 ? ` and ${statements.length - 1} more` : ''
  return `${verb} ${table}${more}`
}
