import { readdirSync } from 'node:fs'

/** The migrations in a folder of `NNNN_name.sql` files, sorted by name. */
export function migrationsIn(directory: string): readonly { readonly name: string }[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => ({ name }))
}
