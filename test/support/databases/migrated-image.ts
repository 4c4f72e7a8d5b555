import { DatabaseSync } from 'node:sqlite'
import { migrationsOf, openNodeSqlite } from '../../../adapters/node-sqlite/index.ts'

type MigratedAdapter = Parameters<typeof migrationsOf>[0]

const images = new Map<MigratedAdapter, Uint8Array>()

/**
 * An image of a database with nothing but its migrations. They are applied once in a process; all databases are copies.
 */
export function migratedImage(of: MigratedAdapter = 'sqlite'): Uint8Array {
  const known = images.get(of)
  if (known !== undefined) return known
  const database = openNodeSqlite({ path: ':memory:', migrations: migrationsOf(of) })
  const image = database.image()
  database.close()
  images.set(of, image)
  return image
}

const tables = new WeakMap<Uint8Array, readonly string[]>()

/** The names of the tables in an image of a database. */
export function tablesOf(image: Uint8Array): readonly string[] {
  const known = tables.get(image) ?? tablesIn(image)
  tables.set(image, known)
  return known
}

function tablesIn(image: Uint8Array): readonly string[] {
  const database = new DatabaseSync(':memory:')
  database.deserialize(image)
  const found = database.prepare("select name from sqlite_master where type = 'table'").all()
  database.close()
  return found.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
}
