import type { D1Database } from '@cloudflare/workers-types'
import { openImage } from '../../../adapters/node-sqlite/index.ts'
import type { Statement } from '../../../adapters/sqlite/index.ts'
import { migratedImage } from './migrated-image.ts'

/**
 * A migrated database in this process that accepts the same statements as D1, for tests with more statements than the
 * real runtime can run in reasonable time. A batch is one transaction, as on D1. Rows that are read and written are not
 * counted.
 * @param image its content
 */
export function openSqliteAsD1(image = migratedImage()): { readonly database: D1Database; close(): void } {
  const sqlite = openImage(image)
  const batch = async (statements: readonly Statement[]) => {
    const results = await sqlite.batch(statements)
    return results.map(({ rows, changes }) => ({
      success: true,
      results: rows,
      meta: { changes, rows_read: 0, rows_written: 0 },
    }))
  }
  const prepare = (sql: string, parameters: Statement['parameters'] = []) => ({
    sql,
    parameters,
    bind: (...given: Statement['parameters']) => prepare(sql, given),
    all: async () => (await batch([{ sql, parameters }]))[0],
  })
  const dressed: unknown = { prepare: (sql: string) => prepare(sql), batch }
  return {
    // The cast is safe because this has all methods that the D1 adapter and these tests call.
    database: dressed as D1Database,
    close: () => {
      sqlite.close()
    },
  }
}
