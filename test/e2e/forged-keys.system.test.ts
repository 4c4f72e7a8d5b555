import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import { readKey } from '../../domain/access/keys.ts'
import type { Meter } from '../../ports/platform.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { forgedKey } from '../support/data/forged-key.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { addSampleOrganization, samplePath } from '../support/data/sample-organization.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// The form and the checksum of a key are public, so anybody can make a key that looks right. For such a key, the
// service may read only the row of the key that it names, if there is one.

let databases: LocalD1
let service: TestService
let meter: Meter
/** Forged keys, by what a stranger knows about the organization. */
let forged: Readonly<
  Record<
    | 'stranger to everybody'
    | 'of a missing organization'
    | 'of an organization elsewhere'
    | 'with a known key id',
    string
  >
>
/** Keys that were good, and one that has spent its rate. */
let ended: Readonly<Record<'expired' | 'revoked', string>>
let spent: string

beforeAll(async () => {
  databases = await openSharedD1(1)
  const database = await databases.next()
  meter = createMeter()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  const entries = [
    "insert into families (family_id, place, generation) values ('elsewhere', 'own', 1)",
    "insert into placed_organizations values ('elsewhere', 'elsewhere')",
    "insert into placed_keys (key_id, organization_id) values ('BBBBBBBBBBBB', 'elsewhere')",
  ]
  await database.batch(entries.map((entry) => database.prepare(entry)))
  const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }
  const real = await addSampleOrganization(service, 'mine', 'm-', 40, able)
  const keyId = real.slice('ck_live_mine_'.length, 'ck_live_mine_'.length + 12)
  forged = {
    'stranger to everybody': forgedKey('mine', 'A'.repeat(12)),
    'of a missing organization': forgedKey('nobody', 'A'.repeat(12)),
    'of an organization elsewhere': forgedKey('elsewhere', 'A'.repeat(12)),
    'with a known key id': forgedKey('mine', keyId),
  }
})

beforeAll(async () => {
  const revoked = await service.addKey({ organizationId: 'mine' })
  await service.storage.administration.revokeKey(readKey(revoked)?.keyId ?? '', '2026-01-01T00:00:00.000Z')
  const expired = await service.addKey({ organizationId: 'mine', expiresAt: '2026-01-01T00:00:00.000Z' })
  ended = { expired, revoked }
  spent = await service.addKey({ organizationId: 'mine', ratePerMinute: 1 })
  await service.send('/api/v1/sites', { key: spent })
})

afterAll(() => databases.dispose())

async function answer({ method, path }: Endpoint, url: string, key: string) {
  const before = { ...meter }
  const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const response = await service.send(url, { method, key, ...body })
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id')
  return {
    shown: { path, status: response.status, headers, body: await response.text() },
    calls: meter.calls - before.calls,
    rowsRead: meter.rowsRead - before.rowsRead,
    rowsWritten: meter.rowsWritten - before.rowsWritten,
  }
}

const guarded: readonly Endpoint[] = endpoints.filter(({ access }) => access !== 'public')

describe.each(guarded.map((endpoint) => ({ id: endpoint.id, endpoint })))('$id', ({ endpoint }) => {
  test('a forged key reads no row but the one of the key that it names', async () => {
    const url = samplePath(endpoint, (field) => `m-${field}-0`)
    const [unknown, nobody, elsewhere, known] = [
      await answer(endpoint, url, forged['stranger to everybody']),
      await answer(endpoint, url, forged['of a missing organization']),
      await answer(endpoint, url, forged['of an organization elsewhere']),
      await answer(endpoint, url, forged['with a known key id']),
    ]
    expect(unknown.shown.status).toBe(401)
    expect([nobody, elsewhere]).toEqual([unknown, unknown])
    expect(known.shown).toEqual(unknown.shown)
    for (const { calls, rowsWritten } of [unknown, known]) expect([calls, rowsWritten]).toEqual([1, 0])
    expect(unknown.rowsRead).toBe(0)
    expect(known.rowsRead).toBeLessThanOrEqual(1)
  })

  test('an expired key reads no row but its own, as a revoked one', async () => {
    const url = samplePath(endpoint, (field) => `m-${field}-0`)
    const [expired, revoked] = [
      await answer(endpoint, url, ended.expired),
      await answer(endpoint, url, ended.revoked),
    ]
    expect(expired).toEqual(revoked)
    expect(expired).toMatchObject({ shown: { status: 401 }, calls: 1, rowsWritten: 0 })
    expect(expired.rowsRead).toBeLessThanOrEqual(1)
  })

  test('a key that has spent its rate reads no row but its own and the one of its organization', async () => {
    const url = samplePath(endpoint, (field) => `m-${field}-0`)
    const refused = await answer(endpoint, url, spent)
    expect(refused).toMatchObject({ shown: { status: 429 }, calls: 1, rowsWritten: 0 })
    expect(refused.rowsRead).toBeLessThanOrEqual(2)
  })
})
