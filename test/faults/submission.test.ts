import { beforeAll, describe, expect, test } from 'vitest'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import type { FormDirectory, SubmissionWriter } from '../../ports/records.ts'
import { plainForm } from '../bench/seed.ts'
import { openTestService, type TestService, type TestStorage } from '../support/services/service.ts'
import { portWith } from '../support/runner/port-with.ts'
import { thorough } from '../support/runner/thorough.ts'

type Fault = 'before' | 'after' | 'none'

/**
 * Storage in which the calls of a submission fail as planned: before they have any effect, or after they took effect.
 */
function faultyStorage(storage: TestStorage, faults: Fault[]): TestStorage {
  const faulty = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const fault = faults.shift() ?? 'none'
    if (fault === 'before') throw new Error('D1_ERROR: Network connection lost.')
    const result = await call()
    if (fault === 'after') throw new Error('D1_ERROR: Network connection lost.')
    return result
  }
  const writer = (submissions: SubmissionWriter): SubmissionWriter =>
    portWith(submissions, {
      saveSubmission: (submission) => faulty(() => submissions.saveSubmission(submission)),
    })
  const forms: FormDirectory = {
    find: (formId) => faulty(() => storage.forms.find(formId)),
    submissionsOf: (organizationId) => writer(storage.forms.submissionsOf(organizationId)),
  }
  return { ...storage, forms }
}

/** It divides no power of three, so that every call fails in each way beside others. */
const STEP = thorough(1, 5)

const faults: Fault[] = []
let service: TestService
let opened = 0

beforeAll(async () => {
  service = await openTestService((clock) => faultyStorage(createScratchStorage({ clock }), faults))
})

/** A form of an organization of its own, for which no request has been made yet. */
interface FreshForm {
  readonly formId: string
  readonly key: string
}

async function addForm(): Promise<FreshForm> {
  opened += 1
  const formId = `form-${opened}`
  const organizationId = `acme-${opened}`
  const key = await service.addOrganization(organizationId)
  await service.storage.tenant(organizationId).upsert('forms', [{ ...plainForm, formId }])
  return { formId, key }
}

/** Plans the outcomes of the next storage calls. */
function plan(next: readonly Fault[]): void {
  faults.splice(0, faults.length, ...next)
}

async function submit({
  formId,
}: FreshForm): Promise<{ status: number; code: string | undefined; id: string | undefined }> {
  const response = await service.send(`/api/forms/${formId}/submissions`, {
    json: { _gotcha: '', full_name: 'Ada', email: 'ada@example.com' },
  })
  const body = (await response.json()) as { code?: string; submissionId?: string }
  return { status: response.status, code: body.code, id: body.submissionId }
}

async function saved({ key }: FreshForm): Promise<readonly string[]> {
  const response = await service.send('/api/v1/forms/submissions', { key })
  const { data } = (await response.json()) as { data: { submissionId: string }[] }
  return data.map(({ submissionId }) => submissionId)
}

describe('each storage call of a submission fails', () => {
  // A first submission makes two calls, which find the form and save; a later one only saves.
  test.each<[string, Fault[], number]>([
    ['finding the form', ['before'], 0],
    ['the answer of finding the form', ['after'], 0],
    ['saving', ['none', 'before'], 0],
    ['the answer of saving', ['none', 'after'], 1],
  ])('%s', async (_, planned, rows) => {
    const form = await addForm()
    plan(planned)
    expect(await submit(form)).toEqual({ status: 500, code: 'internal_error', id: undefined })
    expect(await saved(form)).toHaveLength(rows)
    // The next visitor is served without any trace of the failure.
    const next = await submit(form)
    expect(next.status).toBe(200)
    expect(await saved(form)).toContain(next.id)
  })

  test('no receipt is given without its row, whatever fails', async () => {
    for (let pattern = 0; pattern < 3 ** 5; pattern += STEP) {
      const form = await addForm()
      plan(
        Array.from(
          { length: 5 },
          (_, k) => (['none', 'before', 'after'] as const)[Math.floor(pattern / 3 ** k) % 3] ?? 'none',
        ),
      )
      const receipts = [await submit(form), await submit(form), await submit(form)]
      const rows = await saved(form)
      for (const { status, id } of receipts) {
        if (status === 200) expect(rows).toContain(id)
        else expect(status).toBe(500)
      }
      expect(rows.length).toBeLessThanOrEqual(3)
    }
  })
})

test('the log of a failure names no value of the statement', async () => {
  const before = service.errors.length
  const form = await addForm()
  plan(['none', 'before'])
  await submit(form)
  expect(service.errors.length - before).toBe(1)
})
