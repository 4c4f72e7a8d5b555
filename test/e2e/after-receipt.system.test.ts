import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SqliteStorage } from '../../adapters/sqlite/index.ts'
import { contact, form, organization } from '../../adapters/conformance/fixtures.ts'
import { automation } from '../../adapters/conformance/outbox.ts'
import { openLiveWorkerWithProviders } from '../support/services/live-service.ts'

const SETTLED_WITHIN_MS = 15_000

let live: Awaited<ReturnType<typeof openLiveWorkerWithProviders>>
let resend: typeof live.resend
let twilio: typeof live.twilio
let origin: string
let storage: SqliteStorage

/** Runs the service with its real queue and database. */
beforeAll(async () => {
  live = await openLiveWorkerWithProviders()
  ;({ resend, twilio, origin, storage } = live)
  await seed()
})
afterAll(() => live.close())

async function seed(): Promise<void> {
  const settings = { name: 'Acme', slug: 'acme', smsNumber: '+12125550100' }
  await storage.administration.saveOrganization(organization('acme', settings))
  const tenant = storage.tenant('acme')
  const definition = (formId: string) => ({
    formId,
    name: formId,
    isPublished: true,
    notificationEmails: ['office@example.com'],
    fields: [{ id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' }],
  })
  await tenant.upsert(
    'forms',
    ['plain', 'automated'].map((formId) => form(formId, { definition: definition(formId) })),
  )
  await tenant.upsert('contacts', [contact('ada', { email: 'ada@example.com', phone: '+12125550123' })])
  const steps = [
    { type: 'add_tag', tag: 'vip' },
    { type: 'send_sms', body: 'Thanks' },
  ]
  await tenant.upsert('automations', [automation('auto', { steps, triggerFormId: 'automated' })])
}

async function submit(
  formId: string,
  email = 'ada@example.com',
): Promise<{ readonly id: string; readonly tookMs: number }> {
  const startedMs = performance.now()
  const response = await fetch(`${origin}/api/forms/${formId}/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', email }),
  })
  expect(response.status).toBe(200)
  const { submissionId } = (await response.json()) as { readonly submissionId: string }
  return { id: submissionId, tookMs: performance.now() - startedMs }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startedMs = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedMs > SETTLED_WITHIN_MS) throw new Error('Waited in vain')
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

/** The outbox entries of a submission. */
const waitingOf = async (id: string) =>
  (await storage.outbox.list('acme', null, 10)).filter(({ submissionId }) => submissionId === id)
const untilDone = (id: string) => until(async () => (await waitingOf(id)).length === 0)
/** The notifications of a submission. */
const mailsOf = (id: string) => [...resend.sent.values()].filter(({ html }) => html?.includes(id))

test('a submission notifies by email and runs its automation, once each', async () => {
  const before = (await storage.sends.open('acme').list(null, 100)).length
  const { id } = await submit('automated')
  await untilDone(id)
  expect(mailsOf(id).map(({ from, to, reply_to }) => ({ from, to, reply_to }))).toEqual([
    { from: 'Acme <acme@mail.example.com>', to: ['office@example.com'], reply_to: 'ada@example.com' },
  ])
  expect(twilio.sent.map((form) => [form.get('From'), form.get('To'), form.get('Body')])).toEqual([
    ['+12125550100', '+12125550123', 'Thanks'],
  ])
  const tenant = storage.tenant('acme')
  const fields = ['automationId', 'contactId', 'status', 'stepCount']
  expect(await tenant.findMany('automation-runs', fields, [`run_${id}_1`])).toEqual([
    { automationId: 'auto', contactId: 'ada', status: 'completed', stepCount: 2 },
  ])
  expect(await tenant.findMany('automations', ['runCount'], ['auto'])).toEqual([{ runCount: 1 }])
  const sends = await storage.sends.open('acme').list(null, 100)
  expect(
    sends
      .slice(0, sends.length - before)
      .map(({ channel, outcome }) => `${channel} ${outcome}`)
      .sort(),
  ).toEqual(['email accepted', 'sms accepted'])
})

test.each(['ada@gmail', 'a..b@x.co', 'ada@nowhere.invalid'])(
  '%s costs nobody a notification',
  async (typo) => {
    const { id } = await submit('plain', typo)
    await untilDone(id)
    const sent = mailsOf(id)
    expect(sent.map(({ to, reply_to }) => ({ to, reply_to }))).toEqual([
      { to: ['office@example.com'], reply_to: undefined },
    ])
  },
)

test('what a provider took without saying so is sent once, by a later sweep', async () => {
  resend.misbehave.push('reset_after')
  const { id } = await submit('plain')
  await until(async () => (await waitingOf(id)).some(({ lastError }) => lastError !== null))
  const [waiting] = await waitingOf(id)
  expect(waiting).toMatchObject({
    submissionId: id,
    attempts: 1,
    lastError: expect.stringMatching(/^The email provider did not answer/) as unknown,
  })
  await storage.outbox.redrive(waiting?.outboxId ?? '', new Date().toISOString())
  await live.fireCron()
  await untilDone(id)
  expect(mailsOf(id)).toHaveLength(1)
})

test('a provider that does not answer delays no receipt', async () => {
  const before = resend.requests.length
  resend.misbehave.push('silence')
  const { id, tookMs } = await submit('plain')
  await until(() => resend.requests.length > before)
  // The provider has ten seconds to answer, and the receipt waits for none of them.
  expect(tookMs).toBeLessThan(3_000)
  expect(await waitingOf(id)).toHaveLength(1)
})

test('there is no mailbox and no QStash endpoint where neither is configured', async () => {
  for (const [method, path] of [
    ['GET', '/mailbox'],
    ['POST', '/qstash'],
  ] as const) {
    expect((await fetch(`${origin}${path}`, { method })).status).toBe(404)
  }
})
