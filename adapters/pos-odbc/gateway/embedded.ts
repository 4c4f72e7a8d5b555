import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { NeutralRow, SourceKind } from '../protocol.ts'
import { DIALECTS } from './dialect.ts'
import type { WritableRows } from './write.ts'
import { writeStatements } from './write.ts'

/** A database of a source on this machine, open to be filled. */
export interface EmbeddedSource {
  /**
   * Puts rows in the neutral form in place of those with their ids, all or none of them. Returns how many of them are
   * new or other than before.
   * @param tenant the tenant's name within a shared source; of no account elsewhere
   */
  write(tenant: string, rows: WritableRows, values: Iterable<NeutralRow>): number
  close(): void
}

/** The text of the schema of a source on SQLite. */
export function sqliteSchema(kind: SourceKind): string {
  const file = `${kind.replace('_', '-')}.sqlite.sql`
  return readFileSync(fileURLToPath(new URL(`../schema/${file}`, import.meta.url)), 'utf8')
}

/** Opens the database of an embedded source, and makes it from the schema when there is none. */
export function openEmbeddedSource(kind: SourceKind, file: string): EmbeddedSource {
  const database = new DatabaseSync(file)
  // Readers go on while it is filled.
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000')
  inTransaction(database, () => {
    const made = database.prepare("select 1 from sqlite_master where type = 'table' limit 1").get()
    if (made === undefined) database.exec(sqliteSchema(kind))
  })
  const scope = { kind, dialect: DIALECTS.sqlite }
  return {
    write(tenant, rows, values) {
      let changed = 0
      inTransaction(database, () => {
        for (const row of values) {
          const isChanged = changes(database, () => {
            for (const { text, values: bound } of writeStatements({ ...scope, tenant }, rows, row)) {
              database.prepare(text).run(...bound)
            }
          })
          changed += Number(isChanged)
        }
      })
      return changed
    },
    close: () => {
      database.close()
    },
  }
}

/** Whether the work leaves anything other than it was: rows that are taken away and put back do not count. */
function changes(database: DatabaseSync, work: () => void): boolean {
  const session = database.createSession()
  try {
    work()
    return session.changeset().length > 0
  } finally {
    session.close()
  }
}

function inTransaction(database: DatabaseSync, run: () => void): void {
  database.exec('begin immediate')
  try {
    run()
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}
