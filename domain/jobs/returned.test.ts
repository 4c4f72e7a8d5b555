import { expect, test } from 'vitest'
import { form, organization, pendingSend } from '../../adapters/conformance/fixtures.ts'
import { addPeople, openJobBench } from '../../test/support/providers/jobs.ts'
import { createScratchStorage, readOutbox } from '../../test/support/scratch/scratch-storage.ts'
import type { SendRef } from '../../ports/messaging.ts'
import { SINGLES_MAX } from '../forms/outbox.ts'
import { deliver } from './deliver.ts'
import { takeReturnedEmail } from './alert.ts'

const DAY_MS = 86_400_000
const RETURNED = "The recipient's server returned it."
const EMAIL = { type: 'send_email', to: 'contact', subject: 'Hi', html: '<p>Hi</p>' }

async function bench(steps: readonly unknown[] = []) {
  const made = await openJobBench(steps)
  const { storage, world, email, clock, settle } = made
  await addPeople(
    storage,
    ['owner@acme.example', 'acme', 'owner'],
    ['owner@other.example', 'other', 'owner'],
    ['root@service.example', null, 'admin'],
  )
  const logged: unknown[] = []
  const log = { ...world.log, info: (event: string, fields: object) => void logged.push([event, fields]) }
  /** Saves a submission with ids as the service makes them. */
  const save = async (submissionId: string, addresses: readonly string[]) => {
    const outbox = addresses.map((to, index) => ({
      outboxId: `obx_${submissionId}_${index + 1}`,
      kind: 'notification_email',
      payload: { submissionId, formId: 'form-1', to },
    }))
    await made.submit(submissionId, [], { question: 'My secret answer' }, { outbox })
  }
  const submit = async (...submission: Parameters<typeof save>) => {
    await save(...submission)
    await settle()
  }
  const returned = async (
    sendId: string,
    changes: Partial<SendRef & { providerId: string; error: string }> = {},
  ) => {
    const { organizationId = 'acme', providerId = `re_${sendId}`, error = RETURNED } = changes
    const news = { recorded: { organizationId, sendId }, providerId, error }
    const isTaken = await takeReturnedEmail(news, {
      sends: storage.sends,
      clock,
      deadline: world.deadline,
      log,
    })
    await settle()
    return isTaken
  }
  const told = () =>
    email.delivered.filter(([key]) => key.startsWith('alr_')).map(([, { to, subject }]) => [to, subject])
  const outcomes = async (organizationId: string | null = 'acme') =>
    Object.fromEntries(
      (await storage.sends.open(organizationId).list(null, 99)).map(({ sendId, outcome, error }) => [
        sendId,
        error === null ? outcome : `${outcome}: ${error}`,
      ]),
    )
  return { ...made, save, submit, returned, told, outcomes, logged, log }
}

const said = (what: string) => [
  ['owner@acme.example', `${what} of Acme failed`],
  ['root@service.example', `${what} of Acme failed`],
]

test('a notification that comes back has failed, and is told of once a day, with the form and nothing of a visitor', async () => {
  const { submit, returned, told, outcomes, email, clock, logged } = await bench()
  await submit('sub_1', ['staff@acme.example', 'other@acme.example'])
  expect(await returned('obx_sub_1_1')).toBe(true)
  expect(await outcomes()).toMatchObject({ obx_sub_1_1: `failed: ${RETURNED}`, obx_sub_1_2: 'accepted' })
  expect(told()).toEqual(said('Notifications'))
  const [, message] = email.delivered.find(([key]) => key.startsWith('alr_')) ?? []
  expect(message?.text).toContain(`form "Form form-1" of Acme could not be delivered. ${RETURNED}`)
  expect(message?.text).toContain('sends --org acme')
  expect(JSON.stringify([message, logged])).not.toMatch(/secret answer|staff@|ada@/)
  // The same again, later news of it, and more of that day change nothing more.
  const before = await outcomes()
  expect(await returned('obx_sub_1_1')).toBe(true)
  expect(await returned('obx_sub_1_1', { error: 'The recipient called it spam.' })).toBe(true)
  expect(await outcomes()).toEqual(before)
  expect(await returned('obx_sub_1_2')).toBe(true)
  expect(told()).toEqual(said('Notifications'))
  clock.advance(DAY_MS)
  await submit('sub_2', ['staff@acme.example'])
  await returned('obx_sub_2_1')
  expect(told()).toEqual([...said('Notifications'), ...said('Notifications')])
})

test('an alert that comes back has failed, and causes none', async () => {
  const { submit, returned, told, outcomes, email, clock } = await bench()
  await submit('sub_1', ['staff@acme.example'])
  await returned('obx_sub_1_1')
  const alerts = email.delivered.map(([key]) => key).filter((key) => key.startsWith('alr_'))
  for (const later of [0, DAY_MS]) {
    clock.advance(later)
    for (const key of alerts) expect(await returned(key)).toBe(true)
  }
  expect(told()).toEqual(said('Notifications'))
  expect(await outcomes()).toMatchObject(
    Object.fromEntries(alerts.map((key) => [key, `failed: ${RETURNED}`])),
  )
  expect(alerts.length).toBe(2)
})

test('an automatic email is told of as such, and a digest as a notification', async () => {
  const { submit, returned, told, outcomes } = await bench([EMAIL])
  await submit('sub_1', [])
  expect(await outcomes()).toEqual({ 'run_sub_1_1-1': 'accepted' })
  await returned('run_sub_1_1-1', { error: 'The recipient called it spam.' })
  expect(told()).toEqual(said('Automatic emails'))
  const flood = await bench()
  const definition = { formId: 'form-1', notificationEmails: ['staff@acme.example'], fields: [] }
  for (let index = 0; index <= SINGLES_MAX; index += 1)
    await flood.save(`sub_${index}`, ['staff@acme.example'])
  await flood.storage.tenant('acme').upsert('forms', [form('form-1', { definition })])
  await flood.settle()
  const digest = flood.email.delivered.map(([key]) => key).find((key) => key.startsWith('obx_dig_'))
  await flood.returned(String(digest))
  expect(flood.told()).toEqual(said('Notifications'))
  expect(flood.email.delivered.at(-1)?.[1].text).toContain('form "Form form-1" of Acme')
})

test('a send of the API is only recorded, whoever sent it; a form that is gone is said to be', async () => {
  const { storage, returned, told, outcomes, email } = await bench()
  const accepted = { outcome: 'accepted', providerId: 'p' } as const
  const ids = ['snd_abc_000', 'obx_gone_1', 'obx', 'obx_1', 'run_x', 'obx_a_1_']
  await storage.sends.open('acme').record(ids.map((id) => pendingSend(id, accepted)))
  await storage.sends.open(null).record([pendingSend('snd_abc_000', accepted)])
  for (const id of ids.filter((one) => one !== 'obx_gone_1')) await returned(id, { providerId: 'p' })
  expect([await outcomes(null), told()]).toEqual([{ snd_abc_000: 'accepted' }, []])
  await returned('snd_abc_000', { organizationId: null, providerId: 'p' })
  expect([await outcomes(null), told()]).toEqual([{ snd_abc_000: `failed: ${RETURNED}` }, []])
  await returned('obx_gone_1', { providerId: 'p' })
  expect(email.delivered.at(-1)?.[1].text).toContain('the form "that is gone" of Acme')
})

test('nothing else is changed: another organization, an unknown one, another email, and what names no send', async () => {
  const { storage, submit, returned, told, outcomes, logged, log, world, clock } = await bench()
  await storage.administration.saveOrganization(organization('other', { name: 'Other' }))
  await submit('sub_1', ['staff@acme.example'])
  const before = await outcomes()
  await returned('obx_sub_1_1', { organizationId: 'other' })
  await returned('obx_sub_1_1', { organizationId: 'nobody' })
  await returned('obx_sub_1_1', { organizationId: null })
  await returned('obx_sub_1_2')
  await returned('obx_sub_1_1', { providerId: 're_of_another_service' })
  const nameless = { recorded: null, providerId: 're_obx_sub_1_1', error: RETURNED }
  expect(await takeReturnedEmail(nameless, { ...world, log, sends: storage.sends, clock })).toBe(true)
  expect([await outcomes(), await outcomes('other'), told()]).toEqual([before, {}, []])
  expect(logged.at(-1)).toEqual(['email_returned', { sendId: null, isRecorded: false, error: RETURNED }])
})

test('news of an email whose outcome is not recorded yet is to come again, for ten minutes', async () => {
  const { storage, returned, outcomes, clock } = await bench()
  const sends = storage.sends.open('acme')
  await sends.record([pendingSend('obx_sub_1_1', { at: new Date(clock.nowMs()).toISOString() })])
  expect(await returned('obx_sub_1_1')).toBe(false)
  clock.advance(599_000)
  expect(await returned('obx_sub_1_1')).toBe(false)
  clock.advance(1_000)
  expect([await returned('obx_sub_1_1'), await outcomes()]).toEqual([true, { obx_sub_1_1: 'pending' }])
})

test('in a database of its own, an organization is told as well', async () => {
  const { world, clock, email } = await bench()
  const own = { kind: 'own', region: null, jurisdiction: null } as const
  const storage = createScratchStorage({ clock, choice: own })
  await storage.administration.saveOrganization(organization('acme', { name: 'Acme' }), undefined, own)
  await addPeople(storage, ['owner@acme.example', 'acme', 'owner'])
  const sent = pendingSend('obx_sub_1_1', { outcome: 'accepted', providerId: 'p' })
  await storage.sends.open('acme').record([sent])
  const news = {
    recorded: { organizationId: 'acme', sendId: 'obx_sub_1_1' },
    providerId: 'p',
    error: RETURNED,
  }
  for (let times = 0; times < 2; times += 1)
    expect(await takeReturnedEmail(news, { ...world, sends: storage.sends, clock })).toBe(true)
  expect(await storage.sends.open('acme').list(null, 9)).toEqual([
    { ...sent, outcome: 'failed', error: RETURNED },
  ])
  const [alert, ...more] = await storage.outboxOf('acme')
  expect([alert?.kind, alert?.submissionId, more]).toEqual(['alert_email', 'sub_1', []])
  expect(await readOutbox(storage.database, 'acme')).toEqual([])
  const hooks = { ...world.hooks, people: storage.people }
  const ref = { organizationId: 'acme', outboxId: alert?.outboxId ?? '' }
  expect(await deliver(ref, { ...world, hooks, outbox: storage.outbox })).toBe('done')
  expect(email.delivered.map(([, { to, subject }]) => [to, subject])).toEqual(
    said('Notifications').slice(0, 1),
  )
})

test('news that cannot be recorded is to come again, and is taken then', async () => {
  const { storage, submit, returned, outcomes, world, clock, errors } = await bench()
  await submit('sub_1', ['staff@acme.example'])
  const news = {
    recorded: { organizationId: 'acme', sendId: 'obx_sub_1_1' },
    providerId: 're_x',
    error: RETURNED,
  }
  const takeReturn = () => Promise.reject(new Error('storage'))
  const hanging = () => new Promise<never>(() => undefined)
  for (const broken of [takeReturn, hanging]) {
    const sends = { open: () => ({ ...storage.sends.open('acme'), takeReturn: broken }) }
    expect(await takeReturnedEmail(news, { ...world, sends, clock })).toBe(false)
  }
  expect(errors).toEqual(['email_returned_unrecorded', 'email_returned_unrecorded'])
  expect(await returned('obx_sub_1_1')).toBe(true)
  expect(await outcomes()).toMatchObject({ obx_sub_1_1: `failed: ${RETURNED}` })
})

test('who was erased stays erased, before and after the news', async () => {
  const { storage, submit, returned, sends } = await bench()
  await submit('sub_1', ['ada@example.com', 'eve@example.com'])
  const erase = async (address: string) => {
    const store = storage.organizationStore('acme')
    const known = await store.findPerson({ contactIds: [], emailKeys: [address], phones: [] })
    for (let next: string | null | undefined; next !== null;)
      next = (await store.eraseSome({ ...known, numbers: [] }, next ?? null)).next
  }
  await returned('obx_sub_1_1')
  await erase('ada@example.com')
  await erase('eve@example.com')
  await returned('obx_sub_1_2')
  const ofPerson = (await sends()).filter(({ sendId }) => sendId.startsWith('obx_'))
  expect(ofPerson.map(({ sendId, to, outcome }) => [sendId, to, outcome]).toSorted()).toEqual([
    ['obx_sub_1_1', 'erased', 'failed'],
    ['obx_sub_1_2', 'erased', 'failed'],
  ])
})
