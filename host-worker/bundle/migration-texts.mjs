import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'adapters', 'sqlite', 'migrations')

/** The migrations of the service's database, sorted by name. */
function readMigrations() {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))
}

/**
 * Replaces the two modules of `adapters/durable-object` that read the migrations from files, because a Worker has no
 * files. One is replaced by the texts of the migrations, which are loaded when an object needs them; the other by the
 * name of the last one.
 * @param further migrations to add after those of the folder, as a later version of the service would have
 */
export function migrationTexts(further = []) {
  const migrations = () => [...readMigrations(), ...further]
  return {
    name: 'migration-texts',
    setup(build) {
      build.onLoad({ filter: /[\\/]durable-object[\\/]object[\\/]migration-texts\.ts$/ }, () => ({
        contents: `export const migrationTexts = () => ${JSON.stringify(migrations())}`,
      }))
      build.onLoad({ filter: /[\\/]durable-object[\\/]object[\\/]newest-migration\.ts$/ }, () => ({
        contents: `export const NEWEST_MIGRATION = ${JSON.stringify(migrations().at(-1)?.name ?? '')}`,
      }))
    },
  }
}
