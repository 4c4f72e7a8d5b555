import { afterAll, beforeAll, describe, test } from 'vitest'
import { createExecutor, createObjectStorage } from '../../adapters/durable-object/index.ts'
import { runnerOf } from '../support/case-runner.ts'
import type { ObjectRuntime } from '../support/object-runtime.ts'
import { objectWorker, startObjectRuntime } from '../support/object-runtime.ts'
import { openedImage } from '../support/scratch-object.ts'
import { readOutbox } from '../support/scratch-storage.ts'
import type { MakeStorage } from './index.ts'
import { registerStorageSuite } from './index.ts'

let runtime: ObjectRuntime
let made = 0

/** Each case has an object of its own. */
const make: MakeStorage = async (clock) => {
  made += 1
  const place = { familyId: `case-${made}`, generation: 1, region: null, jurisdiction: null }
  runtime.place(`${place.familyId}.${place.generation}`, openedImage())
  const options = { namespace: runtime.namespace, place, clock }
  const executor = createExecutor(options)
  return {
    ...createObjectStorage(options),
    outboxOf: (organizationId) => readOutbox(executor, organizationId),
  }
}

describe('storage in a Durable Object', () => {
  beforeAll(async () => {
    runtime = await startObjectRuntime(await objectWorker())
  })
  afterAll(() => runtime.dispose())

  registerStorageSuite(runnerOf(test), make)
})
