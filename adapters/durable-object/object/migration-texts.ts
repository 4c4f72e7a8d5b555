import { readdirSync, readFileSync } from 'node:fs'
import type { Migration } from '../../sqlite/migration.ts'

const FOLDER = new URL('../../sqlite/migrations/', import.meta.url)

/**
 * The migrations, sorted by name. The Worker's build replaces this module by one that contains their texts, which is
 * loaded only when an object needs them.
 */
export function migrationTexts(): readonly Migration[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name, sql: readFileSync(new URL(name, FOLDER), 'utf8') }))
}
