import { beforeEach, expect, test } from 'vitest'
import { readKey } from '../../../domain/access/keys.ts'
import type { FamilyNamespace, FamilyObject } from '../../../adapters/durable-object/index.ts'
import { scratchObjects, type ScratchObjects } from '../../support/scratch/scratch-objects.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// Rates of keys of an organization that has a database of its own, whose object counts the requests. What is the same
// in every place is tested in key-rate.test.ts.

const CONTACTS = '/api/v1/contacts'
const MINUTE = '"minute";q=2;w=60'

let storage: ScratchStorage
let objects: ScratchObjects
/** Two instances of the service. */
let one: TestService
let other: TestService

async function start(through?: (namespace: FamilyNamespace) => FamilyNamespace) {
  one = await openTestService((clock) => {
    objects = scratchObjects(clock, through)
    return (storage = createScratchStorage({ clock, ...objects }))
  })
  other = await openTestService(() => storage)
  await one.addOrganization('acme')
}

beforeEach(() => start())

async function seen(at: TestService, key: string, path = CONTACTS) {
  const before = storage.meter.calls
  const { status, headers } = await at.send(path, { key })
  const rate = ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name))
  return { status, rate, calls: storage.meter.calls - before }
}

/** Each instance has a clock of its own; both clocks advance together. */
function advance(durationMs: number) {
  for (const { clock } of [one, other]) clock.advance(durationMs)
}

test('all instances of the service count together, in the one call that proves the key', async () => {
  const key = await one.addKey({ organizationId: 'acme', ratePerMinute: 2 })
  // The first call asks the directory, because no instance has met the key.
  expect(await seen(one, key)).toEqual({ status: 200, rate: [MINUTE, '"minute";r=1;t=60', null], calls: 2 })
  advance(10_000)
  expect(await seen(other, key)).toEqual({ status: 200, rate: [MINUTE, '"minute";r=0;t=50', null], calls: 1 })
  for (const at of [one, other, one, other])
    expect(await seen(at, key)).toEqual({ status: 429, rate: [MINUTE, '"minute";r=0;t=50', '50'], calls: 1 })
  advance(50_000)
  expect(await seen(other, key)).toEqual({ status: 200, rate: [MINUTE, '"minute";r=0;t=10', null], calls: 1 })
})

test('an instance that has learned of a spent key has nothing read for it', async () => {
  const key = await one.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  const texts: number[] = []
  const { database } = objects.object('acme.1')
  const run = database.run.bind(database)
  database.run = (sql, parameters) => {
    if (sql.includes('from "contacts"')) texts.push(sql.length)
    return run(sql, parameters)
  }
  const statuses: number[] = []
  for (let request = 0; request < 5; request += 1) statuses.push((await seen(one, key)).status)
  expect(statuses).toEqual([200, 429, 429, 429, 429])
  expect(texts).toHaveLength(2)
})

test('an instance that thinks a key spent which its object admits reads after all', async () => {
  const key = await one.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  await seen(one, key)
  expect((await seen(one, key)).status).toBe(429)
  // An object that is evicted from memory forgets its counts.
  objects.object('acme.1').evict()
  expect(await seen(one, key)).toMatchObject({ status: 200, calls: 2 })
  expect(await seen(one, key)).toMatchObject({ status: 429, calls: 1 })
})

test('a forged or revoked key takes nothing of the budget, and other keys have theirs', async () => {
  const key = await one.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  const second = await one.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  const without = await one.addKey({ organizationId: 'acme' })
  expect((await seen(one, key)).status).toBe(200)
  expect((await seen(other, second)).status).toBe(200)
  expect(await seen(one, without)).toEqual({ status: 200, rate: [null, null, null], calls: 2 })
  await one.storage.administration.revokeKey(readKey(key)?.keyId ?? '', '2026-06-15T12:00:00.000Z')
  expect(await seen(other, key)).toEqual({ status: 401, rate: [null, null, null], calls: 1 })
})

test('a request that reads twice counts once', async () => {
  const key = await one.addKey({ organizationId: 'acme', ratePerMinute: 9 })
  expect((await seen(one, key, `${CONTACTS}?phone=212-555-0100`)).rate[1]).toBe('"minute";r=8;t=60')
})

test('an object of a version that does not count leaves it to the instance', async () => {
  await start((namespace) => ({
    ...namespace,
    get(id) {
      const object = namespace.get(id) as FamilyObject
      const batch: FamilyObject['batch'] = (mode, statements) => object.batch(mode, statements)
      return { ...object, batch }
    },
  }))
  const key = await one.addKey({ organizationId: 'acme', ratePerMinute: 1 })
  expect((await seen(one, key)).rate).toEqual(['"minute";q=1;w=60', '"minute";r=0;t=60', null])
  expect((await seen(one, key)).status).toBe(429)
  expect((await seen(other, key)).status).toBe(200)
})
