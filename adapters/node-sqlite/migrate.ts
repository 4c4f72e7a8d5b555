import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from './executor.ts'

/**
 * The folder `adapters`, relative to this file: in the sources, and in the package, where this file is in the build.
 */
const ADAPTERS = ['../', '../../../adapters/'].map((path) => new URL(path, import.meta.url))

/** The folder of an adapter's migrations. Throws when this package has none of that adapter. */
export function migrationsOf(adapter: 'sqlite' | 'pos-legacy-vendor'): URL {
  const folders = ADAPTERS.map((adapters) => new URL(`${adapter}/migrations/`, adapters))
  const found = folders.find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`There are no migrations of ${adapter}`)
  return found
}

const CREATE_RECORD = `create table if not exists applied_migrations (
  name text primary key, applied_at text not null default current_timestamp) strict`

/**
 * Applies the migrations that a database lacks: the `NNNN_name.sql` files of a folder, and of a folder `retired` in it,
 * in order of their names. They run in one transaction, so two processes that open the same file do not apply one twice, and a migration that fails
 * leaves the database unchanged. The table `applied_migrations` keeps the names.
 * @returns the names of the migrations that this call applied
 */
export function migrate(database: DatabaseSync, folder: URL = migrationsOf('sqlite')): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .map((path) => ({ name: basename(path), path }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  return inTransaction(database, false, () => {
    database.exec(CREATE_RECORD)
    const applied = database.prepare('select name from applied_migrations').all()
    const known = new Set(applied.map(({ name }) => name))
    const missing = files.filter(({ name }) => !known.has(name))
    for (const { name, path } of missing) {
      database.exec(readFileSync(new URL(path, folder), 'utf8'))
      database.prepare('insert into applied_migrations (name) values (?)').run(name)
    }
    return missing.map(({ name }) => name)
  })
}
