import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { form, organization, submission } from '../../adapters/conformance/fixtures.ts'
import { openSecret } from '../../domain/webhooks/signature.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import {
  openTestOperator,
  operate,
  reachOf,
  TEST_URL,
  type TestOperator,
} from '../../test/support/services/operator/operator.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

// The commands of webhooks, and what becomes of webhooks in an archive.

const directory = scratchFolder()
let at: TestOperator

beforeEach(async () => {
  at = await openTestOperator()
  await at.service.storage.administration.saveOrganization(organization('acme'))
  await at.service.storage.tenant('acme').upsert('forms', [form('form-1'), form('form-2')])
})

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=\n$/
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

async function create(...more: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await at.run(
    'webhook',
    'create',
    'https://example.com/hook',
    '--org',
    'acme',
    ...more,
  )
  expect([code, stdout]).toEqual([0, expect.stringMatching(SECRET)])
  return /Created (acme:wh_\w{16})\./.exec(stderr)?.[1] ?? ''
}

async function shown(id: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse((await at.run('webhook', 'show', id)).stdout) as Readonly<Record<string, unknown>>
}

test('a webhook is made, changed, rotated and deleted by its id alone', async () => {
  const id = await create(
    '--event',
    'submission.created',
    '--event',
    'contact.created',
    '--form',
    'form-1',
    '--description',
    'CRM',
  )
  expect(await shown(id)).toMatchObject({
    webhookId: id,
    events: ['submission.created', 'contact.created'],
    formIds: ['form-1'],
    description: 'CRM',
    isOn: true,
  })
  const off = await at.run('webhook', 'update', id, '--off', '--url-to', 'https://b.example/', '--all-forms')
  expect([off.code, off.stderr]).toEqual([0, `${id} is off: https://b.example/\n`])
  expect(await shown(id)).toMatchObject({ isOn: false, formIds: null, url: 'https://b.example/' })
  expect((await at.run('webhook', 'update', id, '--on')).code).toBe(0)
  const rotated = await at.run('webhook', 'rotate', id)
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringMatching(SECRET)])
  expect((await at.run('webhook', 'test', id)).stderr).toMatch(/^acme:whd_\w{22} is on its way\.\n$/)
  expect((await at.run('webhook', 'delete', id)).code).toBe(0)
  expect((await at.run('webhook', 'show', id)).code).toBe(1)
})

test('made off, it waits to be switched on, and is told of everything', async () => {
  const id = await create('--off')
  expect(await shown(id)).toMatchObject({ isOn: false, formIds: null })
  expect((await shown(id)).events).toHaveLength(4)
})

test.each([
  [['webhook', 'create', 'https://example.com'], 2],
  [['webhook', 'create', '--org', 'acme'], 2],
  [['webhook', 'create', 'http://example.com', '--org', 'acme'], 1],
  [['webhook', 'create', 'https://example.com', '--org', 'acme', '--event', 'odd'], 1],
  [['webhook', 'update', 'acme:wh_1'], 2],
  [['webhook', 'update', 'acme:wh_1', '--on', '--off'], 2],
  [['webhook', 'update', 'acme:wh_1', '--form', 'a', '--all-forms'], 2],
  [['webhook', 'update', 'acme:wh_1', '--on'], 1],
  [['webhook', 'deliveries', 'acme:wh_1'], 1],
  [['webhook', 'resend', 'acme:whd_1'], 1],
  [['webhook', 'resend', 'acme:wh_1', '--since', '2026-01-01'], 1],
])('%j is refused', async (words, code) => {
  expect((await at.run(...words)).code).toBe(code)
})

test('deliveries are sent again, one or all since an instant', async () => {
  const id = await create('--event', 'submission.created')
  const { storage } = at.service
  const webhooks = storage.webhooks('acme')
  for (let number = 1; number <= 3; number += 1) {
    const deliveryId = `whd_${number}`
    const when = `2026-03-0${number}T10:00:00.000Z`
    const event = { deliveryId, webhookId: id.slice(5), event: 'test', subjectId: 'x', at: when }
    await webhooks.announce(event, when)
    await storage.outbox.open('acme').claim(deliveryId, { token: 't', until: '9999' }, when)
    const delivery = { ...event, status: 'failed', answer: null } as const
    await storage.outbox.open('acme').settle(deliveryId, 't', { kind: 'done', sends: [], delivery }, when)
  }
  expect(linesOf((await at.run('webhook', 'deliveries', id, '--failed')).stdout)).toHaveLength(3)
  expect((await at.run('webhook', 'resend', 'acme:whd_1')).stderr).toBe('1 delivery is sent again.\n')
  expect((await at.run('webhook', 'resend', id, '--since', '2026-03-02')).stderr).toBe(
    '2 deliveries are sent again.\n',
  )
  expect(linesOf((await at.run('outbox', 'list', '--org', 'acme')).stdout)).toHaveLength(3)
})

test('in an archive it has no secret; restored it is off, with a new one that is shown once, and the new ids of forms', async () => {
  const id = await create('--event', 'submission.created', '--form', 'form-1')
  const { storage } = at.service
  await storage.tenant('acme').saveSubmission(submission('sub-1', { formId: 'form-1' }))
  const file = join(directory, 'acme.tar')
  expect((await at.run('org', 'export', file, '--id', 'acme', '--with-secrets')).code).toBe(0)
  const { code, stdout, stderr } = await at.run('org', 'restore', file, '--id', 'copy', '--form-ids', 'new')
  const [, , line = '', ...more] = linesOf(stdout)
  expect([code, more, stderr]).toEqual([0, [], expect.stringContaining('shown this once')])
  const [copy = '', secret = ''] = line.split('  ')
  expect([copy, `${secret}\n`]).toEqual([`copy:${id.slice(5)}`, expect.stringMatching(SECRET)])
  const owner = { organizationId: 'copy', webhookId: id.slice(5) }
  const stored = async () => (await storage.webhooks('copy').find(owner.webhookId))?.secret ?? ''
  expect((await openSecret(await stored(), owner, await testSecrets()))?.secret).toBe(secret)
  expect(await shown(copy)).toMatchObject({
    isOn: false,
    hasSecret: true,
    formIds: ['form-1-2'],
    events: ['submission.created'],
  })
  // Whoever finishes again, because an answer was lost, is shown no secret, takes none away, and is told which there are.
  const before = await stored()
  const { restoreId } = (await storage.organizationStore('copy').restoration()) ?? {}
  const again = await at.service.send(`/operator/v1/organizations/copy/restore/${restoreId ?? ''}/finish`, {
    method: 'POST',
    key: await at.service.addOperatorKey('admin'),
  })
  const { webhookSecrets, webhooksGivenBefore } = (await again.json()) as Readonly<Record<string, unknown>>
  expect([again.status, webhookSecrets, webhooksGivenBefore, await stored()]).toEqual([
    200,
    undefined,
    [copy],
    before,
  ])
  expect((await at.run('webhook', 'update', copy, '--on')).code).toBe(0)
  // What waited is held, as all that an archive brings.
  expect(linesOf((await at.run('outbox', 'list', '--org', 'copy')).stdout).join()).toMatch(/held/)
  expect(await shown(id)).toMatchObject({ isOn: true, hasSecret: true })
  expect((await at.run('org', 'delete', '--id', 'acme', '--confirm', 'acme')).code).toBe(0)
  expect((await at.run('webhook', 'show', id)).code).toBe(1)
})

test('a restore whose last answer is lost says which webhooks to rotate, and so does a restore of what is restored', async () => {
  const id = await create()
  const file = join(directory, 'lost.tar')
  expect((await at.run('org', 'export', file, '--id', 'acme')).code).toBe(0)
  const inner = reachOf(at.service)
  let finished = 0
  const reach = async (request: Request) => {
    const answer = await inner(request)
    if (!new URL(request.url).pathname.endsWith('/finish') || finished > 0) return answer
    finished += 1
    throw new TypeError('fetch failed')
  }
  const environment = { OPERATOR_URL: TEST_URL, OPERATOR_KEY: at.key, XDG_CONFIG_HOME: '/nonexistent' }
  const restore = ['org', 'restore', file, '--id', 'copy', '--form-ids', 'new']
  const copy = `copy:${id.slice(5)}`
  const { code, stdout, stderr } = await operate(restore, { environment, reach })
  expect([finished, code, stdout]).toEqual([1, 0, expect.not.stringContaining('whsec_')])
  expect(stderr).toContain(`showed the new secrets of ${copy}. If you have not seen them`)
  const again = await at.run(...restore)
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/this very archive: .* gets one with "webhook rotate ID"/),
  ])
  expect((await at.run('webhook', 'rotate', copy)).stdout).toMatch(SECRET)
  const { restoreId = '' } = (await at.service.storage.organizationStore('copy').restoration()) ?? {}
  const last = await at.service.send(`/operator/v1/organizations/copy/restore/${restoreId}/finish`, {
    method: 'POST',
    key: at.key,
  })
  expect(await last.json()).not.toHaveProperty('webhooksGivenBefore')
})
