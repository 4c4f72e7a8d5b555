import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SqliteStorage } from '../../adapters/sqlite/index.ts'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { systemClock } from '../../host-worker/system.ts'
import { form, organization } from '../../adapters/conformance/fixtures.ts'
import { openLiveWorker, type LiveWorker } from '../support/services/live-service.ts'
import {
  openQstash,
  openResend,
  QSTASH_TOKEN,
  RESEND_KEY,
  signAsQstash,
} from '../support/providers/providers.ts'

const CALLBACK_URL = 'https://service.example/qstash'
const WEBHOOK_SECRET = `whsec_${btoa('a secret of Resend')}`
const KEYS = { current: 'sig_current', next: 'sig_next' }

let resend: Awaited<ReturnType<typeof openResend>>
let qstash: Awaited<ReturnType<typeof openQstash>>
let worker: LiveWorker
let storage: SqliteStorage

/** The real worker with QStash instead of its queue. The test delivers the messages that the stand-in received. */
beforeAll(async () => {
  resend = await openResend()
  qstash = await openQstash()
  worker = await openLiveWorker({
    RESEND_API_KEY: RESEND_KEY,
    RESEND_API_URL: resend.url,
    RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
    QSTASH_TOKEN,
    QSTASH_CURRENT_SIGNING_KEY: KEYS.current,
    QSTASH_NEXT_SIGNING_KEY: KEYS.next,
    QSTASH_URL: qstash.url,
    QSTASH_CALLBACK_URL: CALLBACK_URL,
  })
  storage = createD1Storage({ database: worker.bindings.DB, clock: systemClock })
  await storage.administration.saveOrganization(organization('acme', { name: 'Acme', slug: 'acme' }))
  const fields = [{ id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' }]
  const notificationEmails = ['office@example.com']
  const definition = { formId: 'plain', name: 'plain', isPublished: true, notificationEmails, fields }
  await storage.tenant('acme').upsert('forms', [form('plain', { definition })])
})
afterAll(async () => {
  await worker.close()
  await Promise.all([resend.close(), qstash.close()])
})

async function deliver(body: string, key: string, header = 'upstash-signature'): Promise<number> {
  const nowS = Math.floor(Date.now() / 1000)
  const response = await fetch(`${worker.origin}/qstash`, {
    method: 'POST',
    headers: { [header]: signAsQstash({ key, body, url: CALLBACK_URL, nowS }) },
    body,
  })
  return response.status
}

test('a submission goes out when QStash delivers it under its signature, and only then', async () => {
  const submitted = await fetch(`${worker.origin}/api/forms/plain/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', email: 'ada@example.com' }),
  })
  expect(submitted.status).toBe(200)
  await expect.poll(() => qstash.published, { timeout: 60_000 }).toHaveLength(1)
  const [message] = qstash.published
  expect(message?.destination).toBe(CALLBACK_URL)
  const body = message?.body ?? ''

  expect(await deliver(body, 'sig_other')).toBe(401)
  expect(await deliver(body, '')).toBe(401)
  expect(await deliver(body, KEYS.current, 'x-signature')).toBe(401)
  expect((await fetch(`${worker.origin}/qstash`)).status).toBe(405)
  expect(resend.requests).toHaveLength(0)

  expect(await deliver(body, KEYS.current)).toBe(200)
  expect([...resend.sent.values()].map(({ to }) => to)).toEqual([['office@example.com']])
  expect(await storage.outbox.list(null, null, 10)).toEqual([])
  // QStash delivers at least once, so a message may arrive again.
  expect(await deliver(body, KEYS.next)).toBe(200)
  expect(resend.requests).toHaveLength(1)
})

test('what Resend tells of an email later is in the log of sends, and tells the admins, when it is signed', async () => {
  const [[emailId, email] = ['', null]] = resend.sent
  const tags = Object.fromEntries((email?.tags ?? []).map(({ name, value }) => [name, value]))
  const body = JSON.stringify({ type: 'email.bounced', data: { email_id: emailId, to: email?.to, tags } })
  const tell = async (secret: string, method = 'POST') => {
    const now = new Date()
    const headers = {
      'svix-id': 'msg_1',
      'svix-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'svix-signature': new Webhook(secret).sign('msg_1', now, body),
    }
    const sent = method === 'POST' ? { method, headers, body } : { method, headers }
    return (await fetch(`${worker.origin}/providers/resend/events`, sent)).status
  }
  const outcomes = async () =>
    (await storage.sends.open('acme').list(null, 9)).map(({ outcome, error }) => [outcome, error])
  expect([await tell(`whsec_${btoa('another secret..')}`), await tell(WEBHOOK_SECRET, 'PUT')]).toEqual([
    401, 405,
  ])
  expect(await outcomes()).toEqual([['accepted', null]])
  expect(await tell(WEBHOOK_SECRET)).toBe(204)
  const returned = [['failed', "The recipient's server returned it."]]
  expect(await outcomes()).toEqual(returned)
  const alerts = async () => (await storage.outbox.list('acme', null, 9)).map(({ kind }) => kind)
  expect(await alerts()).toEqual(['alert_email'])
  expect(await tell(WEBHOOK_SECRET)).toBe(204)
  expect([await outcomes(), await alerts()]).toEqual([returned, ['alert_email']])
})
