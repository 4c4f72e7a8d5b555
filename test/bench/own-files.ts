import type { DatabaseSync } from 'node:sqlite'
import { createFacts, writeFact } from '../../adapters/durable-object/object/schema.ts'
import { NEWEST_MIGRATION } from '../../adapters/durable-object/object/newest-migration.ts'
import { openObjectDatabase } from '../support/scratch/scratch-object.ts'

/** The contents of a database of its own. */
export interface Owned {
  /** An organization without a parent, so it is the root of a family. */
  readonly organizationId: string
  readonly keyIds: readonly string[]
  readonly formIds: readonly string[]
}

/** Enters into the directory that an organization, its keys and its forms are in a database of their own. */
export function enterDirectory(shared: DatabaseSync, { organizationId: id, keyIds, formIds }: Owned): void {
  const insert = (into: string, rows: readonly (readonly string[])[]) => {
    const statement = shared.prepare(`insert into ${into} values (?, ?)`)
    for (const [first = '', second = ''] of rows) statement.run(first, second)
  }
  shared.prepare("insert into families (family_id, place, generation) values (?, 'own', 1)").run(id)
  insert('placed_organizations (organization_id, family_id)', [[id, id]])
  insert(
    'placed_keys (key_id, organization_id)',
    keyIds.map((keyId) => [keyId, id]),
  )
  insert(
    'placed_forms (form_id, organization_id)',
    formIds.map((formId) => [formId, id]),
  )
}

/** Stores in the object's database that it is open and needs no migration. */
export function openObject(sqlite: DatabaseSync, familyId: string): void {
  const database = openObjectDatabase(sqlite)
  createFacts(database)
  writeFact(database, 'state', { name: 'open', familyId })
  writeFact(database, 'schema', { tables: NEWEST_MIGRATION, indexes: NEWEST_MIGRATION, indexesBeyond: 0 })
}
