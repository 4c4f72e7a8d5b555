import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The object of the local simulator that keeps a D1 database. */
const KEEPER = 'miniflare-D1DatabaseObject'

/**
 * Puts a database where the local simulator looks for the one with this id before it makes an empty one. Writing the file
 * takes a hundredth of the time in which the simulator applies the migrations.
 */
export function placeDatabase(files: string, id: string, image: Uint8Array): void {
  placeObject(join(files, 'd1'), KEEPER, id, image)
}

/** The file of the database with this id. */
export function databaseFile(files: string, id: string): string {
  return join(files, 'd1', KEEPER, `${objectId(KEEPER, id)}.sqlite`)
}

/** The file of the database of the object with this name. `key` names its class. */
export function objectFile(files: string, key: string, name: string): string {
  return join(files, key, `${objectId(key, name)}.sqlite`)
}

/** What a database holds that the local simulator has kept, and no longer has open. */
export function readPlaced(files: string, id: string): Uint8Array {
  const database = new DatabaseSync(databaseFile(files, id))
  database.exec('pragma journal_mode = delete')
  const image = database.serialize()
  database.close()
  return image
}

/** Puts a database where the local simulator looks for that of the object with this name. `key` names its class. */
export function placeObject(files: string, key: string, name: string, image: Uint8Array): void {
  mkdirSync(join(files, key), { recursive: true })
  writeFileSync(objectFile(files, key, name), image)
}

/** The id of a Durable Object by its name, as the simulator computes it: the file is named after it. */
function objectId(uniqueKey: string, name: string): string {
  const key = createHash('sha256').update(uniqueKey).digest()
  const named = createHmac('sha256', key).update(name).digest().subarray(0, 16)
  const checked = createHmac('sha256', key).update(named).digest().subarray(0, 16)
  return Buffer.concat([named, checked]).toString('hex')
}
