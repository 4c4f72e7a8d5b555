import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The maximum number of prepared statements kept for one database: more than a service uses regularly. */
const STATEMENTS_MAX = 200

/** Prepares statements and keeps the ones used last, so that the same SQL is not parsed for each batch. */
export function cachedStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>()
  return (sql) => {
    const statement = kept.get(sql) ?? database.prepare(sql)
    // A map lists its entries in the order in which they were set, so the first one was used the longest ago.
    kept.delete(sql)
    kept.set(sql, statement)
    if (kept.size > STATEMENTS_MAX) {
      const [oldest = ''] = kept.keys()
      kept.delete(oldest)
    }
    return statement
  }
}
