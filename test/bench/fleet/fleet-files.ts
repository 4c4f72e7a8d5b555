import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writeFact } from '../../../adapters/durable-object/object/facts.ts'
import {
  createNodeSqliteStorage,
  createStorage,
  openImage,
  type SqliteStorage,
} from '../../../adapters/node-sqlite/index.ts'
import { issueKey, readKey } from '../../../domain/access/api-key.ts'
import { newOrganization } from '../../../domain/operators/organization.ts'
import { systemClock, systemRandom } from '../../../host-worker/system.ts'
import type { StoredKey } from '../../../ports/organizations.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { databaseFile, placeObject } from '../../support/databases/d1-files.ts'
import { testSecrets } from '../../support/runner/fakes.ts'
import { openedImage, openObjectDatabase } from '../../support/scratch/scratch-object.ts'
import { enterDirectory } from '../own-files.ts'
import { DATABASE_ID, OBJECTS_KEY } from '../runtime.ts'
import { benchContacts, plainFormOf } from '../seed.ts'

/** An organization of the fleet, without a parent. */
export interface Member {
  readonly organizationId: string
  readonly key: string
  readonly stored: StoredKey
  readonly formId: string
}

/** Draws organizations, each with a key. */
export async function drawMembers(count: number): Promise<readonly Member[]> {
  const secrets = await testSecrets()
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const organizationId = `member-${index}`
      const issued = await issueKey({ organizationId }, secrets, systemRandom, systemClock)
      return { organizationId, ...issued, formId: `form-${index}` }
    }),
  )
}

/** The folders in which the runtimes keep their files, all with the same rows. */
export interface FleetFiles {
  /** Every organization in one D1 database. */
  readonly shared: string
  /** Each organization in an object of its own, and the directory of places in D1. */
  readonly own: string
  /** Copies of the objects, for a Worker that reads no directory. */
  readonly bare: string
}

/** Fills the files of the runtimes. */
export async function fillFleet(
  folder: string,
  members: readonly Member[],
  contactsEach: number,
): Promise<FleetFiles> {
  const inFolder = (name: string) => join(folder, `fleet-${name}`)
  const files = { shared: inFolder('shared'), own: inFolder('own'), bare: inFolder('bare') }
  const contacts = benchContacts(contactsEach)
  await fillShared(newDatabase(files.shared), members, contacts)
  fillDirectory(newDatabase(files.own), members)
  const objects = join(files.own, 'do')
  mkdirSync(objects, { recursive: true })
  for (const member of members) await fillObject(objects, member, contacts)
  cpSync(objects, join(files.bare, 'do'), { recursive: true })
  return files
}

/** The path at which a runtime looks for its database, in a folder that this creates. */
function newDatabase(files: string): string {
  const path = databaseFile(files, DATABASE_ID)
  mkdirSync(dirname(path), { recursive: true })
  return path
}

async function fillShared(
  path: string,
  members: readonly Member[],
  contacts: readonly StoredRow[],
): Promise<void> {
  const storage = createNodeSqliteStorage({ path, clock: systemClock })
  for (const member of members) await fill(storage, member, contacts)
  storage.close()
}

function fillDirectory(path: string, members: readonly Member[]): void {
  createNodeSqliteStorage({ path, clock: systemClock }).close()
  const sqlite = new DatabaseSync(path)
  sqlite.exec('begin')
  for (const { organizationId, key, formId } of members)
    enterDirectory(sqlite, { organizationId, keyIds: [readKey(key)?.keyId ?? ''], formIds: [formId] })
  sqlite.exec('commit')
  sqlite.close()
}

async function fillObject(objects: string, member: Member, contacts: readonly StoredRow[]): Promise<void> {
  const familyId = member.organizationId
  const empty = openObjectDatabase(openedImage())
  writeFact(empty, 'state', { name: 'open', familyId })
  const database = openImage(empty.sqlite().serialize())
  empty.sqlite().close()
  await fill(createStorage({ executor: database, clock: systemClock }), member, contacts)
  placeObject(objects, OBJECTS_KEY, `${familyId}.1`, database.image())
  database.close()
}

async function fill(
  storage: SqliteStorage,
  { organizationId, stored, formId }: Member,
  contacts: readonly StoredRow[],
): Promise<void> {
  await storage.administration.saveOrganization(newOrganization(organizationId, organizationId))
  await storage.administration.addKey(stored)
  const tenant = storage.tenant(organizationId)
  await tenant.upsert('contacts', contacts)
  // The form has no notifications. Otherwise an object would send them some seconds later, in the measured process.
  await tenant.upsert('forms', [plainFormOf(formId, [])])
}
