import { beforeAll, describe, expect, test } from 'vitest'
import type { FamilyNamespace, FamilyObject } from '../../../adapters/durable-object/index.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { Endpoint } from '../../../domain/record/endpoint.ts'
import { readKey } from '../../../domain/access/keys.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { forgedKey } from '../../support/data/forged-key.ts'
import { addSampleOrganization, samplePath } from '../../support/data/sample-organization.ts'
import { scratchObjects } from '../../support/scratch/scratch-objects.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// Where a forged key ends, by what is true of the organization that it claims. How many rows are read for it is tested in
// test/e2e/forged-keys.system.test.ts.

const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }

let service: TestService
let storage: ScratchStorage
let objectCalls = 0
/** The keys of an organization in each place. */
let keys: Readonly<Record<'own' | 'shared', string>>

/** Counts the calls of objects. */
function counting(namespace: FamilyNamespace): FamilyNamespace {
  return {
    ...namespace,
    get(id) {
      const object = namespace.get(id) as FamilyObject
      const batch: FamilyObject['batch'] = (...given) => {
        objectCalls += 1
        return object.batch(...given)
      }
      return { ...object, batch }
    },
  }
}

beforeAll(async () => {
  service = await openTestService((clock) => {
    storage = createScratchStorage({ clock, ...scratchObjects(clock, counting) })
    return storage
  })
  const own = await addSampleOrganization(service, 'owned', 'o-', 2, able)
  Object.assign(storage, { choice: { kind: 'shared' } satisfies PlaceChoice })
  keys = { own, shared: await addSampleOrganization(service, 'plain', 's-', 2, able) }
})

async function answer({ method, path }: Endpoint, url: string, key: string) {
  const before = { all: storage.meter.calls, objects: objectCalls }
  const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const response = await service.send(url, { method, key, ...body })
  return {
    path,
    status: response.status,
    body: await response.text(),
    calls: storage.meter.calls - before.all,
    objectCalls: objectCalls - before.objects,
  }
}

const guarded = endpoints.filter(({ access }) => access !== 'public')
const keyIdOf = (key: string) => readKey(key)?.keyId ?? ''

describe.each(guarded.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  const url = samplePath(endpoint, (field) => `o-${field}-0`)

  test('a forged key ends in the directory, with the same work for every organization', async () => {
    // The instance knows the place of the organization, and has seen this key proven.
    await service.send('/api/v1/sites', { key: keys.own })
    const [missing, own, shared, ofAnother] = [
      await answer(endpoint, url, forgedKey('nobody', 'A'.repeat(12))),
      await answer(endpoint, url, forgedKey('owned', 'A'.repeat(12))),
      await answer(endpoint, url, forgedKey('plain', 'A'.repeat(12))),
      await answer(endpoint, url, forgedKey('plain', keyIdOf(keys.own))),
    ]
    expect(missing).toMatchObject({ status: 401, calls: 1, objectCalls: 0 })
    expect([own, shared, ofAnother]).toEqual([missing, missing, missing])
  })

  test('a wrong secret with the id of an issued key is refused, and the true key stays known', async () => {
    const wrong = await answer(endpoint, url, forgedKey('owned', keyIdOf(keys.own)))
    expect(wrong.status).toBe(401)
    const read = async () => {
      const before = storage.meter.calls
      const { status } = await service.send('/api/v1/sites', { key: keys.own })
      return { status, calls: storage.meter.calls - before }
    }
    await read()
    expect((await answer(endpoint, url, forgedKey('owned', keyIdOf(keys.own)))).status).toBe(401)
    expect(await read()).toEqual({ status: 200, calls: 1 })
  })
})

test('many forged keys wake no object and displace no known key', async () => {
  await service.send('/api/v1/sites', { key: keys.own })
  const before = objectCalls
  for (let number = 0; number < 200; number += 1) {
    const organizationId = number % 2 === 0 ? 'owned' : `nobody-${number}`
    const key = forgedKey(organizationId, String(number).padStart(12, '0'))
    expect((await service.send('/api/v1/sites', { key })).status).toBe(401)
  }
  expect(objectCalls).toBe(before)
  const calls = storage.meter.calls
  expect((await service.send('/api/v1/sites', { key: keys.own })).status).toBe(200)
  expect(storage.meter.calls - calls).toBe(1)
})
