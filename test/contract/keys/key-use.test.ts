import { beforeEach, expect, test } from 'vitest'
import { readKey } from '../../../domain/access/keys.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

let service: TestService
let storage: ScratchStorage
let notes: number

beforeEach(async () => {
  notes = 0
  service = await openTestService((clock) => {
    storage = createScratchStorage({ clock })
    const { administration } = storage
    const noteKeyUse: typeof administration.noteKeyUse = (keyId, hour) => {
      notes += 1
      return administration.noteKeyUse(keyId, hour)
    }
    return { ...storage, administration: { ...administration, noteKeyUse } }
  })
  await service.addOrganization('acme')
  service.clock.set('2026-06-15T12:34:56.789Z')
})

const hour = '2026-06-15T12:00:00.000Z'

const newKey = (organizationId: string | null) => service.addKey({ organizationId, lastUsedAt: null })

async function lastUse(key: string): Promise<string | null> {
  await service.settled()
  const found = await storage.administration.findKey(readKey(key)?.keyId ?? '')
  return found?.lastUsedAt ?? null
}

const call = (key: string) => service.send('/api/v1/email', { method: 'POST', key })

test.each(['acme', null])('a key of %s is noted as used to the hour, once an hour', async (owner) => {
  const key = await newKey(owner)
  expect(await lastUse(key)).toBeNull()
  for (const [instant, hour, written] of [
    ['2026-06-15T12:34:56.789Z', '2026-06-15T12:00:00.000Z', 1],
    ['2026-06-15T12:59:59.999Z', '2026-06-15T12:00:00.000Z', 1],
    ['2026-06-15T13:00:00.000Z', '2026-06-15T13:00:00.000Z', 2],
    ['2026-06-15T12:10:00.000Z', '2026-06-15T13:00:00.000Z', 2],
    ['2026-06-20T23:59:00.000Z', '2026-06-20T23:00:00.000Z', 3],
  ] as const) {
    service.clock.set(instant)
    for (let index = 0; index < 5; index += 1) {
      await call(key)
      expect(await lastUse(key)).toBe(hour)
    }
    expect(notes).toBe(written)
  }
})

test('of many requests at the same moment one writes', async () => {
  const key = await newKey('acme')
  const before = await rowsChanged()
  await Promise.all(Array.from({ length: 20 }, () => call(key)))
  expect(await lastUse(key)).toBe(hour)
  expect((await rowsChanged()) - before).toBe(1)
})

/** How many rows were written since the database of the organization was opened. */
async function rowsChanged(): Promise<number> {
  const database = await storage.databaseOf('acme')
  const [answer] = await database.batch([{ sql: 'select total_changes() as n', parameters: [] }])
  return Number(answer?.rows[0]?.n)
}

test('a key that proves nothing is not noted', async () => {
  const key = await newKey('acme')
  await call(`${key.slice(0, -1)}-`)
  await storage.administration.revokeKey(readKey(key)?.keyId ?? '', hour)
  expect((await call(key)).status).toBe(401)
  expect([await lastUse(key), notes]).toEqual([null, 0])
})

test('a use that cannot be noted fails no request, and is noted with the next one', async () => {
  const key = await newKey('acme')
  const failing = await openTestService(() => ({
    ...storage,
    administration: {
      ...storage.administration,
      noteKeyUse: () => Promise.reject(new Error('Storage is busy')),
    },
  }))
  const { status } = await failing.send('/api/v1/contacts', { key })
  await failing.settled()
  expect([status, failing.errors.length]).toEqual([200, 1])
  await service.send('/api/v1/contacts', { key })
  expect(await lastUse(key)).toBe(hour)
})
