import { describe, expect, test } from 'vitest'
import { createScratchStorage } from '../support/scratch-storage.ts'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import { plainForm } from '../bench/seed.ts'
import type { TestService, TestStorage } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

type Fault = 'before' | 'after' | 'none'

/** Storage whose k-th call of a submission fails: before it does anything, or after it has taken effect. */
function faultyStorage(storage: TestStorage, faults: Fault[]): TestStorage {
  const faulty = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const fault = faults.shift() ?? 'none'
    if (fault === 'before') throw new Error('D1_ERROR: Network connection lost.')
    const result = await call()
    if (fault === 'after') throw new Error('D1_ERROR: Network connection lost.')
    return result
  }
  const writer = (tenant: TenantWriter): TenantWriter => ({
    ...tenant,
    saveSubmission: (submission) => faulty(() => tenant.saveSubmission(submission)),
  })
  const forms: FormDirectory = {
    find: (formId) => faulty(() => storage.forms.find(formId)),
    tenantOf: (form) => writer(storage.forms.tenantOf(form)),
  }
  return { ...storage, forms }
}

async function open(faults: Fault[]): Promise<{ service: TestService; key: string }> {
  const service = await openTestService((clock) => faultyStorage(createScratchStorage({ clock }), faults))
  const key = await service.addOrganization('acme')
  await service.storage.tenant('acme').upsert('forms', [plainForm])
  return { service, key }
}

async function submit(
  service: TestService,
): Promise<{ status: number; code: string | undefined; id: string | undefined }> {
  const response = await service.send('/api/forms/bench-form/submissions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', full_name: 'Ada', email: 'ada@example.com' }),
  })
  const body = (await response.json()) as { code?: string; submissionId?: string }
  return { status: response.status, code: body.code, id: body.submissionId }
}

async function saved(service: TestService, key: string): Promise<readonly string[]> {
  const response = await service.send('/api/v1/forms/submissions', { key })
  const { data } = (await response.json()) as { data: { submissionId: string }[] }
  return data.map(({ submissionId }) => submissionId)
}

describe('each storage call of a submission fails', () => {
  // A first submission finds the form and saves; a later one saves at once.
  test.each<[string, Fault[], number]>([
    ['finding the form', ['before'], 0],
    ['the answer of finding the form', ['after'], 0],
    ['saving', ['none', 'before'], 0],
    ['the answer of saving', ['none', 'after'], 1],
  ])('%s', async (_, faults, rows) => {
    const { service, key } = await open(faults)
    expect(await submit(service)).toEqual({ status: 500, code: 'internal_error', id: undefined })
    expect(await saved(service, key)).toHaveLength(rows)
    // The next visitor is served as if nothing had happened.
    const next = await submit(service)
    expect(next.status).toBe(200)
    expect(await saved(service, key)).toContain(next.id)
  })

  test('no receipt is given without its row, whatever fails', async () => {
    for (let pattern = 0; pattern < 3 ** 5; pattern += 1) {
      const faults = Array.from(
        { length: 5 },
        (_, k): Fault => (['none', 'before', 'after'] as const)[Math.floor(pattern / 3 ** k) % 3] ?? 'none',
      )
      const { service, key } = await open(faults)
      const receipts = [await submit(service), await submit(service), await submit(service)]
      const rows = await saved(service, key)
      for (const { status, id } of receipts) {
        if (status === 200) expect(rows).toContain(id)
        else expect(status).toBe(500)
      }
      expect(rows.length).toBeLessThanOrEqual(3)
    }
  })
})

test('the log of a failure names no value of the statement', async () => {
  const { service } = await open(['none', 'before'])
  await submit(service)
  expect(service.errors).toHaveLength(1)
})
