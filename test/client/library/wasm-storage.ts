import { readdirSync, readFileSync } from 'node:fs'
import sqlite3InitModule, { type Database } from '@sqlite.org/sqlite-wasm'
import { createStorage, type Executor, type SqliteStorage } from 'tenant-data-api/adapters/sqlite'
import type { Clock } from 'tenant-data-api/ports'

/**
 * An adapter of one's own: every storage port on SQLite compiled to WebAssembly, which runs where Node has no SQLite, and
 * in browsers. `tenant-data-api/adapters/sqlite` has the statements; a database only has to run them in transactions.
 */
const sqlite = await sqlite3InitModule()
const folder = new URL('adapters/sqlite/migrations/', import.meta.resolve('tenant-data-api/package.json'))
const migrations = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))

/** The content of an empty, migrated database. Copying it takes a hundredth of the time of the migrations. */
let image: Uint8Array | null = null

/** Opens an empty database in memory. */
export function openWasmDatabase(): Executor {
  const database = new sqlite.oo1.DB(':memory:', 'c')
  if (image === null) {
    for (const migration of migrations) database.exec(migration)
    image = sqlite.capi.sqlite3_js_db_export(database)
  } else load(database, image)
  database.exec('pragma foreign_keys = on')
  return {
    // Nothing is awaited between the first statement and the last, so batches never interleave.
    async batch(statements) {
      database.exec('begin immediate')
      try {
        const results = statements.map(({ sql, parameters }) => {
          const before = Number(database.changes(true))
          const rows = database.exec({
            sql,
            bind: [...parameters],
            rowMode: 'object',
            returnValue: 'resultRows',
          })
          return {
            // Rows come without a prototype; callers compare and copy them as plain objects.
            rows: rows.map((row) => ({ ...row })),
            changes: Number(database.changes(true)) - before,
            rowsRead: null,
            rowsWritten: null,
          }
        })
        database.exec('commit')
        return results
      } catch (error) {
        if (sqlite.capi.sqlite3_get_autocommit(database.pointer ?? 0) === 0) database.exec('rollback')
        throw error
      }
    },
  }
}

/** Fills a database with the content of another one. */
function load(database: Database, content: Uint8Array): void {
  const { capi, wasm } = sqlite
  const copy = wasm.allocFromTypedArray(content)
  const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE
  const { byteLength } = content
  database.checkRc(
    capi.sqlite3_deserialize(database.pointer ?? 0, 'main', copy, byteLength, byteLength, flags),
  )
}

/** Opens the storage over a database. */
export function createWasmStorage(executor: Executor, clock: Clock): SqliteStorage {
  return createStorage({ executor, clock })
}
