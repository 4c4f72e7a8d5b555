import { DatabaseSync } from 'node:sqlite'
import { cachedStatements } from '../../../adapters/node-sqlite/index.ts'
import type { ObjectDatabase } from '../../../adapters/durable-object/object/batch.ts'
import { asksForTables, keptDescriptions } from '../databases/kept-descriptions.ts'
import { createSchema, writeFact } from '../../../adapters/durable-object/object/schema.ts'
import { migrationTexts } from '../../../adapters/durable-object/object/migration-texts.ts'
import type { State } from '../../../adapters/durable-object/object/states.ts'

/**
 * A replacement of the database inside an object, on Node's SQLite.
 * @param begin an image or a database to start with; default: nothing
 */
export function openObjectDatabase(
  begin?: Uint8Array | DatabaseSync,
): ObjectDatabase & { readonly sqlite: () => DatabaseSync } {
  const open = () => new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  let sqlite = begin instanceof DatabaseSync ? begin : open()
  if (begin instanceof Uint8Array) sqlite.deserialize(begin)
  let prepare = cachedStatements(sqlite)
  let described = keptDescriptions()
  const schemaVersion = () => Number(prepare('pragma schema_version').get()?.schema_version)
  const ask: ObjectDatabase['run'] = (sql, parameters = []) => {
    const statement = prepare(sql)
    const columns = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true)
    const rows = statement.all(...parameters) as unknown as unknown[][]
    return { columns, rows, rowsRead: rows.length, rowsWritten: 0 }
  }
  return {
    sqlite: () => sqlite,
    run: (sql, parameters = []) =>
      asksForTables(sql)
        ? described(sql, parameters, schemaVersion(), () => ask(sql, parameters))
        : ask(sql, parameters),
    script: (sql) => {
      sqlite.exec(sql)
      // A cached statement would still return the former columns of its tables.
      prepare = cachedStatements(sqlite)
    },
    transaction(work) {
      sqlite.exec('begin immediate')
      try {
        const result = work()
        sqlite.exec('commit')
        return result
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec('rollback')
        throw error
      }
    },
    sizeBytes: () => sqlite.serialize().length,
    async clear() {
      sqlite.close()
      sqlite = open()
      prepare = cachedStatements(sqlite)
      described = keptDescriptions()
    },
  }
}

let image: Uint8Array | null = null

/** The image of an open, empty object: the result of `create`, without the time that it takes. */
export function openedImage(): Uint8Array {
  if (image !== null) return image
  const database = openObjectDatabase()
  createSchema(database, migrationTexts())
  const state: State = { name: 'open', familyId: 'family' }
  writeFact(database, 'state', state)
  image = database.sqlite().serialize()
  return image
}
