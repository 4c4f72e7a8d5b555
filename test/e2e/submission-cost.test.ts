import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Meter } from '../../ports/meter.ts'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { conditionalAnswers, conditionalForm } from '../bench/seed.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openSharedD1 } from '../support/shared-d1.ts'
import type { TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

let databases: LocalD1
let service: TestService
let meter: Meter

beforeAll(async () => {
  databases = await openSharedD1(1)
  const database = await databases.next()
  meter = createMeter()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  await service.addOrganization('acme')
  await service.storage.tenant('acme').upsert('forms', [conditionalForm])
}, 60_000)

afterAll(() => databases.dispose())

/** Submits the conditional form and returns the status and the storage calls it took. */
async function submit(changes: Readonly<Record<string, unknown>> = {}): Promise<[number, number]> {
  const before = meter.calls
  const response = await service.send('/api/forms/bench-conditional/submissions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...conditionalAnswers, ...changes }),
  })
  return [response.status, meter.calls - before]
}

test('the first submission of a form takes two storage calls, each one after it a single one', async () => {
  expect(await submit()).toEqual([200, 2])
  expect(await submit()).toEqual([200, 1])
  expect(await submit({ email: 'new@example.com' })).toEqual([200, 1])
})

test('a refusal by a cached definition is confirmed with one call', async () => {
  expect(await submit({ text3: '' })).toEqual([422, 1])
})

test('a changed definition is noticed by the save and evaluated anew', async () => {
  await submit()
  await service.storage.tenant('acme').upsert('forms', [{ ...conditionalForm, name: 'Renamed' }])
  expect(await submit()).toEqual([200, 4])
  expect(await submit()).toEqual([200, 1])
  await service.storage.tenant('acme').upsert('forms', [{ ...conditionalForm, isPublished: false }])
  expect((await submit())[0]).toBe(404)
})
