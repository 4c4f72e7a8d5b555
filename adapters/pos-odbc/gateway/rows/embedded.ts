import { readFileSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Statement } from '../../../sql/statement.ts'
import type { NeutralRow, SourceKind } from '../../protocol.ts'
import { DIALECTS } from '../statements/dialect.ts'
import { writeStatements, type WritableRows } from '../statements/write.ts'

/** A source's database on this machine, open for writing. */
export interface EmbeddedSource {
  /**
   * Inserts rows in the neutral form, replacing those with the same ids, all or none of them. Returns how many of them
   * are new or changed.
   * @param tenant the tenant's name within a shared source; unused where the database is its own
   */
  write(tenant: string, rows: WritableRows, values: Iterable<NeutralRow>): number
  close(): void
}

/** The text of the schema of a source on SQLite. */
function sqliteSchema(kind: SourceKind): string {
  const file = `${kind.replace('_', '-')}.sqlite.sql`
  return readFileSync(fileURLToPath(new URL(`../../schema/${file}`, import.meta.url)), 'utf8')
}

/** Opens the database of an embedded source, and creates it from the schema when it is missing. */
export function openEmbeddedSource(kind: SourceKind, file: string): EmbeddedSource {
  const database = new DatabaseSync(file)
  // With a write-ahead log, readers can read while rows are written.
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000')
  inTransaction(database, () => {
    const made = database.prepare("select 1 from sqlite_master where type = 'table' limit 1").get()
    if (made === undefined) database.exec(sqliteSchema(kind))
  })
  const scope = { kind, dialect: DIALECTS.sqlite }
  const prepared = new Map<string, StatementSync>()
  const run = ({ sql, parameters }: Statement): void => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    statement.run(...parameters)
  }
  return {
    write(tenant, rows, values) {
      let changed = 0
      inTransaction(database, () => {
        for (const row of values) {
          const isChanged = changes(database, () => {
            writeStatements({ ...scope, tenant }, rows, row).forEach(run)
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

/** Whether the work changed anything. Rows that are deleted and inserted again unchanged do not count. */
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
