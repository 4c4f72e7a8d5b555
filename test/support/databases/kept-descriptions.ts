import type { BoundValue, Executor } from '../../../adapters/sqlite/index.ts'

/** Whether a statement asks how the tables are made. */
export const asksForTables = (sql: string): boolean => sql.includes('pragma_table_info')

/**
 * Keeps the descriptions of one database's tables until its schema changes. Every step of a move asks for them, and
 * SQLite takes longer over them than over the few rows that a step has in a test.
 */
export function keptDescriptions() {
  const kept = new Map<string, unknown>()
  return <Result>(
    sql: string,
    parameters: readonly BoundValue[],
    schemaVersion: number,
    ask: () => Result,
  ): Result => {
    const asked = JSON.stringify([schemaVersion, sql, parameters])
    if (!kept.has(asked)) kept.set(asked, ask())
    return kept.get(asked) as Result
  }
}

/** An executor on Node's SQLite that keeps the descriptions of its database's tables. */
export function describingOnce(executor: Executor): Executor {
  const described = keptDescriptions()
  return {
    async batch(statements) {
      const [statement, ...others] = statements
      if (statement === undefined || others.length > 0 || !asksForTables(statement.sql))
        return executor.batch(statements)
      const [found] = await executor.batch([{ sql: 'pragma schema_version', parameters: [] }])
      const version = Number(found?.rows[0]?.schema_version)
      return described(statement.sql, statement.parameters, version, () => executor.batch(statements))
    },
  }
}
