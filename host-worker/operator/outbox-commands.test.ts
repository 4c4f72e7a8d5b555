import { beforeAll, expect, test } from 'vitest'
import { form, organization, submission } from '../../adapters/conformance/fixtures.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'

let operated: TestOperator
const operator: TestOperator['run'] = (...args) => operated.run(...args)

beforeAll(async () => {
  operated = await openTestOperator()
  const { storage } = operated.service
  for (const id of ['acme', 'other']) await storage.administration.saveOrganization(organization(id))
  const tenant = storage.tenant('acme')
  await tenant.upsert('forms', [form('form-1')])
  const entry = (outboxId: string) => ({
    outboxId,
    kind: 'notification_email',
    payload: { to: 'a@example.com' },
  })
  await tenant.saveSubmission(submission('sub-1', { outbox: [entry('obx_done'), entry('obx_failed')] }))
  const mine = storage.outbox.open('acme')
  const send = (sendId: string, failed: boolean) => ({
    sendId,
    channel: 'email' as const,
    from: 'Acme <acme@mail.example.com>',
    to: 'a@example.com',
    providerId: failed ? null : 're_1',
    outcome: failed ? ('failed' as const) : ('accepted' as const),
    error: failed ? 'Refused.' : null,
    at: failed ? '2026-03-01T10:00:02.000Z' : '2026-03-01T10:00:01.000Z',
  })
  for (const id of ['obx_done', 'obx_failed'])
    await mine.claim(id, { token: 't', until: '2026-03-01T10:01:00.000Z' }, '2026-03-01T10:00:00.000Z')
  const now = '2026-03-01T10:00:03.000Z'
  await mine.settle('obx_done', 't', { kind: 'done', sends: [send('obx_done', false)] }, now)
  await mine.settle(
    'obx_failed',
    't',
    { kind: 'failed', reason: 'Refused.', sends: [send('obx_failed', true)] },
    now,
  )
  await storage.sends.open(null).record([{ ...send('own', false), from: 'Brand <contact@mail.example.com>' }])
})

test('the outbox is listed and an entry is driven again', async () => {
  const failed = 'obx_failed  failed  attempts 1  acme  notification_email  sub-1  Refused.\n'
  expect(await operator('outbox', 'list')).toEqual({ code: 0, stdout: failed, stderr: '' })
  expect((await operator('outbox', 'list', '--org', 'acme')).stdout).toBe(failed)
  expect((await operator('outbox', 'list', '--org', 'other')).stdout).toBe('')
  expect((await operator('outbox', 'list', '--org', 'nobody')).code).toBe(1)
  expect(await operator('outbox', 'retry', 'obx_done')).toMatchObject({ code: 1, stdout: '' })
  expect(await operator('outbox', 'retry', 'obx_failed')).toMatchObject({ code: 0, stdout: '' })
  expect((await operator('outbox', 'list')).stdout).toMatch(
    /^obx_failed {2}pending {2}attempts 0 .*Refused\.\n$/,
  )
  expect((await operator('outbox', 'retry')).code).toBe(2)
})

test('sends are one JSON object a line, newest first', async () => {
  const { code, stdout } = await operator('sends', '--org', 'acme')
  expect(code).toBe(0)
  const common = { channel: 'email', from: 'Acme <acme@mail.example.com>', to: 'a@example.com' }
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { ...common, providerId: null, outcome: 'failed', error: 'Refused.', at: '2026-03-01T10:00:02.000Z' },
    { ...common, providerId: 're_1', outcome: 'accepted', error: null, at: '2026-03-01T10:00:01.000Z' },
  ])
  expect(await operator('sends', '--org', 'other')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect((await operator('sends')).code).toBe(2)
  expect((await operator('sends', '--org', 'acme', '--platform')).code).toBe(2)
  const own = await operator('sends', '--platform')
  expect(own.stdout.split('\n').map((line) => line.includes('contact@mail.example.com'))).toEqual([
    true,
    false,
  ])
})
