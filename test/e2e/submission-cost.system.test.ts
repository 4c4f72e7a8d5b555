import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { D1Database } from '@cloudflare/workers-types'
import type { Meter } from '../../ports/platform.ts'
import { PausedError } from '../../domain/placement/find/errors.ts'
import { submission } from '../../adapters/conformance/fixtures.ts'
import { createD1Storage, createMeter } from '../../adapters/d1/index.ts'
import { conditionalAnswers, conditionalForm } from '../bench/seed.ts'
import type { LocalD1 } from '../support/databases/d1.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

let databases: LocalD1
let database: D1Database
let service: TestService
let meter: Meter

beforeAll(async () => {
  databases = await openSharedD1(1)
  database = await databases.next()
  meter = createMeter()
  service = await openTestService((clock) => createD1Storage({ database, clock, meter }))
  await service.addOrganization('acme')
  await service.storage.tenant('acme').upsert('forms', [conditionalForm])
}, 60_000)

afterAll(() => databases.dispose())

/** Submits the conditional form. Returns the status and the number of storage calls. */
async function submit(changes: Readonly<Record<string, unknown>> = {}): Promise<[number, number]> {
  const before = meter.calls
  const response = await service.send('/api/forms/bench-conditional/submissions', {
    json: { ...conditionalAnswers, ...changes },
  })
  return [response.status, meter.calls - before]
}

// Each test continues with what the previous one has left in the service's cache.
describe('a submission', { shuffle: false }, () => {
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

  test('D1 undoes the whole batch of a submission that is refused, though its statement only fails', async () => {
    const ask = async (sql: string) => (await database.batch([database.prepare(sql)]))[0]?.results
    const clockAt = "select clock_at from organizations where organization_id = 'acme'"
    const before = await ask(clockAt)
    await ask("insert into write_pauses values ('acme', 'move-1', '2999-01-01T00:00:00.000Z')")
    const saving = service.storage
      .tenant('acme')
      .saveSubmission(submission('sub-1', { formId: 'bench-conditional' }))
    await expect(saving).rejects.toThrow(PausedError)
    expect(await ask(clockAt)).toEqual(before)
    expect(before).toHaveLength(1)
  })
})
