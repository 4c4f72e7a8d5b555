import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const MIGRATIONS = 'adapters/pos-legacy-vendor/migrations'
const FOLDERS = ['host-worker/dev/demo', 'host-worker/dev/site', MIGRATIONS]

/** The text of a file. The path is relative to the project. */
export function textAt(path) {
  return readFileSync(join(root, path), 'utf8')
}

/** The migrations of the legacy vendor's database, sorted by name. */
export function legacyMigrations() {
  const names = readdirSync(join(root, MIGRATIONS)).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: textAt(`${MIGRATIONS}/${name}`) }))
}

/** Replaces this module, which reads files, by one that contains their texts, because a Worker has no files. */
export const localTexts = {
  name: 'local-texts',
  setup(build) {
    build.onLoad({ filter: /[\\/]bundle[\\/]local-texts\.mjs$/ }, () => ({
      contents: `const texts = ${JSON.stringify(Object.fromEntries(dataFiles().map((path) => [path, textAt(path)])))}
        export const textAt = (path) => texts[path] ?? ''
        export const legacyMigrations = () => ${JSON.stringify(legacyMigrations())}`,
    }))
  },
}

function dataFiles() {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ndjson|json|html|css)$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
}
