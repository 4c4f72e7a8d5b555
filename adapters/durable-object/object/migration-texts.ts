import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Migration } from '../../sqlite/migration.ts'

const FOLDER = new URL('../../sqlite/migrations/', import.meta.url)

/**
 * The migrations, with those of `retired/`, sorted by name. The Worker's build replaces this module by one that contains their texts, which is
 * loaded only when an object needs them.
 */
export function migrationTexts(): readonly Migration[] {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.sql'),
  )
  const files = paths.map((path) => ({
    name: basename(path),
    sql: readFileSync(new URL(path, FOLDER), 'utf8'),
  }))
  return files.sort((left, right) => (left.name < right.name ? -1 : 1))
}
