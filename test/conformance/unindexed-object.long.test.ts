import { describe, test } from 'vitest'
import { createExecutor, createObjectStorage } from '../../adapters/durable-object/index.ts'
import { writeFact } from '../../adapters/durable-object/object/schema.ts'
import { NEWEST_MIGRATION } from '../../adapters/durable-object/object/newest-migration.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { namespaceOf, openScratchFamily, somePlace } from '../support/scratch/scratch-family.ts'
import { openedImage, openObjectDatabase } from '../support/scratch/scratch-object.ts'
import { readOutbox } from '../support/scratch/scratch-storage.ts'
import { registerStorageSuite, type CaseRunner, type MakeStorage } from '../../adapters/conformance/index.ts'
import { thorough } from '../support/runner/thorough.ts'

/**
 * An open object that has every table but no index except those that its rows depend on: the unique indexes, and those
 * that a trigger names, which are older than any object.
 */
function unindexedImage(): Uint8Array {
  const database = openObjectDatabase(openedImage())
  const { rows } = database.run(`
    select name from sqlite_master as i where type = 'index' and sql not like 'create unique%' and not exists (
      select 1 from sqlite_master as t where t.type = 'trigger' and t.sql like '%indexed by ' || i.name || '%')`)
  if (rows.length < 50) throw new Error('There are more than fifty indexes')
  for (const [name] of rows) database.script(`drop index ${String(name)}`)
  writeFact(database, 'schema', { tables: NEWEST_MIGRATION, indexes: '', indexesBeyond: 0 })
  return database.sqlite().serialize()
}

/** The cases to run: each statement is in several of them. */
const EVERY = thorough(1, 4)

const image = unindexedImage()
/** This migration fails, so the object builds no index during the whole case. */
const migrations = [{ name: NEWEST_MIGRATION, sql: 'create index never on nothing (a);' }]

const make: MakeStorage = async (clock) => {
  const family = openScratchFamily({ clock, image, migrations })
  const options = { namespace: namespaceOf(() => family.object()), place: somePlace, clock }
  return {
    ...createObjectStorage(options),
    outboxOf: (organizationId) => readOutbox(createExecutor(options), organizationId),
  }
}

describe('storage in an object that has not built its indexes', () => {
  const runner = runnerOf(test)
  let cases = 0
  const some: CaseRunner = {
    ...runner,
    test: (name, run) => {
      if (cases++ % EVERY === 0) runner.test(name, run)
    },
  }
  registerStorageSuite(some, make)
})
