import { beforeEach, expect, test } from 'vitest'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { importContext } from '../../domain/imports/check.ts'
import { kindOf } from '../../domain/imports/kinds.ts'
import { rowOfLine, toolsWithoutSecrets } from '../support/data/imports.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

const PATH = '/api/v1/cancellations/records'
const UNAVAILABLE = `{"error":"This resource is unavailable for the organization's provider."}`

let service: TestService
let calls: () => number
let key: string

beforeEach(async () => {
  service = await openTestService((clock) => {
    const storage = createScratchStorage({ clock })
    calls = () => storage.meter.calls
    return storage
  })
  key = await service.addOrganization('mine')
})

/** Imports one line as an operator would, including the importer's check. */
async function imported(kindName: string, line: Readonly<Record<string, unknown>>): Promise<void> {
  const kind = kindOf(kindName, toolsWithoutSecrets(service.clock))
  const row = await rowOfLine(line, kind, importContext({ organizationId: 'mine', phoneCountry: 'US' }))
  service.clock.advance(1000)
  await service.storage.tenant('mine').upsert(kindName, [row])
}

const membership = {
  membershipId: 'm-1',
  signupDate: '2024-01-31',
  status: 'churned',
  churnType: 'involuntary',
  cancelDate: '2024-02-29T01:00:00+02:00',
  cancelReason: 'card_declined',
  billingInterval: 'month',
  billingSiteCode: 'RIV',
  creationSiteCode: 'DTN',
  creationSiteName: 'Downtown',
  isOnTrial: false,
  tags: [],
}

async function answer(path: string, bearer = key): Promise<readonly [number, string]> {
  const response = await service.send(path, { key: bearer })
  return [response.status, await response.text()]
}

test('a membership that is active, or ended at an unknown day, is no record', async () => {
  const missing = await answer(`${PATH}/missing`)
  expect(missing[0]).toBe(404)
  await imported('memberships', membership)
  expect((await answer(`${PATH}/m-1`))[0]).toBe(200)
  for (const change of [{ status: 'active' }, { cancelDate: null }]) {
    await imported('memberships', { ...membership, ...change })
    expect(await answer(`${PATH}/m-1`)).toEqual(missing)
    for (const query of ['', '?updatedAfter=2000-01-01T00:00:00Z', '?siteCode=RIV']) {
      expect(JSON.parse((await answer(PATH + query))[1])).toMatchObject({ data: [] })
    }
  }
})

test('an organization without billing events is told so, once its key is known to be good', async () => {
  const without = await service.addOrganization('without', { billingEvents: false })
  // An isolate that has not seen the key proven asks the directory once more.
  expect((await answer('/api/v1/sites', without))[0]).toBe(200)
  for (const path of [PATH, `${PATH}/m-1`, `${PATH}?nonsense=1`]) {
    const before = calls()
    expect(await answer(path, without)).toEqual([400, UNAVAILABLE])
    expect(calls() - before).toBe(1)
    expect((await answer(path, `${without}x`))[0]).toBe(401)
  }
  expect((await service.send(PATH, { method: 'POST', key: without })).status).toBe(405)
})
