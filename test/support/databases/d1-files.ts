import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { persistPath } from '../../../host-worker/local/state.ts'
import { projectWranglerFile } from '../../../host-worker/local/project.ts'

/** The local simulator's object that stores a D1 database. */
const KEEPER = 'miniflare-D1DatabaseObject'

/**
 * Writes a database to the file that the local simulator opens for this id, before it would create an empty one. That
 * takes a hundredth of the time in which the simulator applies the migrations.
 */
export function placeDatabase(files: string, id: string, image: Uint8Array): void {
  placeObject(join(files, 'd1'), KEEPER, id, image)
}

/** The path of the file for the database with this id. */
export function databaseFile(files: string, id: string): string {
  return join(files, 'd1', KEEPER, `${objectId(KEEPER, id)}.sqlite`)
}

/** The path of the file for the shared database of a state directory. */
export function sharedDatabaseFile(directory: string): string {
  const shared = projectWranglerFile().d1_databases.find(({ binding }) => binding === 'DB')
  return databaseFile(persistPath(directory), shared?.preview_database_id ?? '')
}

/** The path of the file for the database of the object with this name. `key` names its class. */
export function objectFile(files: string, key: string, name: string): string {
  return join(files, key, `${objectId(key, name)}.sqlite`)
}

/** The content of a database that the local simulator has stored and closed. */
export function readPlaced(files: string, id: string): Uint8Array {
  const database = new DatabaseSync(databaseFile(files, id))
  database.exec('pragma journal_mode = delete')
  const image = database.serialize()
  database.close()
  return image
}

/**
 * Writes a database to the file that the local simulator opens for the object with this name. `key` names its class.
 */
export function placeObject(files: string, key: string, name: string, image: Uint8Array): void {
  mkdirSync(join(files, key), { recursive: true })
  writeFileSync(objectFile(files, key, name), image)
}

/** The id of a Durable Object by its name, computed as in the simulator, which names the file after it. */
function objectId(uniqueKey: string, name: string): string {
  const key = createHash('sha256').update(uniqueKey).digest()
  const named = createHmac('sha256', key).update(name).digest().subarray(0, 16)
  const checked = createHmac('sha256', key).update(named).digest().subarray(0, 16)
  return Buffer.concat([named, checked]).toString('hex')
}
