import { afterAll, beforeAll, describe, test } from 'vitest'
import { createExecutor, createObjectStorage } from '../../adapters/durable-object/index.ts'
import type { Statement } from '../../adapters/sqlite/index.ts'
import type { Clock } from '../../ports/platform.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { ofShare } from '../support/runner/part.ts'
import { migratedImage, tablesOf } from '../support/databases/migrated-image.ts'
import { objectWorker, startObjectRuntime, type ObjectRuntime } from '../support/scratch/object-runtime.ts'
import { savingStatements } from '../support/databases/saving-statements.ts'
import { openedImage } from '../support/scratch/scratch-object.ts'
import { readOutbox } from '../support/scratch/scratch-storage.ts'
import {
  storageSuite,
  type MakeStorage,
  type SavedTenant,
  type StorageInstance,
} from '../../adapters/conformance/index.ts'

const place = { familyId: 'family', generation: 1, region: null, jurisdiction: null }

/** The tables of a family. The object's facts about itself are in other tables and stay as they are. */
const ofObjects = new Set(tablesOf(openedImage()))
const tables = tablesOf(migratedImage()).filter((table) => ofObjects.has(table))
const clearing = tables.map((table) => say(`delete from ${table}`))
const look = say(`select ${tables.map((table) => `exists (select 1 from ${table})`).join(' + ')} as filled`)

let runtime: ObjectRuntime

function say(sql: string): Statement {
  return { sql, parameters: [] }
}

/**
 * Clears the one object, and then writes the rows of `beginning` to it. Opening another object would take longer,
 * because the runtime would read its whole schema. Triggers may write to tables that were cleared before, so this
 * repeats until all are empty.
 */
async function emptied(clock: Clock, beginning: readonly Statement[]): Promise<StorageInstance> {
  const options = { namespace: runtime.namespace, place, clock }
  const executor = createExecutor(options)
  let filled: unknown
  do {
    const results = await executor.batch([...clearing, look, ...beginning])
    filled = results[clearing.length]?.rows[0]?.filled
  } while (filled !== 0)
  return {
    ...createObjectStorage(options),
    outboxOf: (organizationId) => readOutbox(executor, organizationId),
  }
}

const cases = runnerOf(test)

// The cases run one at a time.
const make: MakeStorage = Object.assign((clock: Clock) => emptied(clock, []), {
  holding: async (clock: Clock, tenants: readonly SavedTenant[]) =>
    emptied(clock, await savingStatements(clock, tenants)),
})

describe('storage in a Durable Object', () => {
  beforeAll(async () => {
    runtime = await startObjectRuntime(await objectWorker())
    runtime.place(`${place.familyId}.${place.generation}`, openedImage())
  })
  afterAll(() => runtime.dispose())

  // `npm test` runs every case on Node's SQLite.
  for (const one of ofShare(storageSuite)) cases.test(one.name, () => one.run(make))
})
