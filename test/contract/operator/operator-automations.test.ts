import { beforeEach, describe, expect, test } from 'vitest'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { fakeEmail, fakeSms } from '../../support/providers/jobs.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { answerOf, openTestService, type TestService } from '../../support/services/service.ts'
import { PLACES, SHARED } from '../../support/scratch/scratch-places.ts'

// Automations as operators save, pause and try them, in both places.

const ACME = '/operator/v1/organizations/acme'
const AUTOMATIONS = `${ACME}/automations`
const FORM = {
  formId: 'contact',
  name: 'Contact',
  isPublished: true,
  fields: [
    { id: 'firstName', type: 'short_text', label: 'First name', contactField: 'firstName' },
    { id: 'email', type: 'email', label: 'Email', contactField: 'email' },
    { id: 'phone', type: 'phone', label: 'Phone', contactField: 'phone' },
    { id: 'kind', type: 'single_choice', label: 'Kind', options: [{ value: 'w', label: 'Wash & dry' }] },
  ],
}
const mail = { type: 'send_email', to: 'contact', subject: 'Hi {{firstName}}', html: '<p>{{kind}}</p>' }
const text = { type: 'send_sms', body: 'Thanks, {{firstName}}' }
const THANKS = {
  automationId: 'thanks',
  name: 'Thanks',
  status: 'active',
  trigger: { type: 'form_submission', formId: 'contact' },
  steps: [mail],
}

let service: TestService
let key: string
let email: ReturnType<typeof fakeEmail>
let sms: ReturnType<typeof fakeSms>

const ask = async (method: string, path: string, json?: unknown, headers = {}) =>
  answerOf(await service.send(path, { method, key, json, headers }))
const save = (...automations: readonly object[]) => ask('POST', AUTOMATIONS, { automations })
const show = async (id = 'thanks') => (await ask('GET', `${AUTOMATIONS}/${encodeURIComponent(id)}`)).body
const setStatus = (status: string, id = 'thanks') => ask('PUT', `${AUTOMATIONS}/${id}/status`, { status })
const tryStep = (step: object, to: string, formId = 'contact') =>
  ask('POST', `${ACME}/automation-tests`, { formId, step, to })

async function open(choice: PlaceChoice, providers: boolean): Promise<void> {
  email = fakeEmail()
  sms = fakeSms()
  service = await openTestService(
    (clock) => createScratchStorage({ clock, choice }),
    undefined,
    providers
      ? { email: email.sender, sms: sms.sender, mail: { domain: 'mail.example.com', brand: 'Platform' } }
      : {},
  )
  await service.addOrganization('acme', { slug: 'acme', smsNumber: '+12125550100' })
  await service.addOrganization('other')
  key = await service.addOperatorKey('admin')
  expect((await ask('POST', `${ACME}/forms`, { forms: [FORM] })).status).toBe(200)
}

describe.each(PLACES)('in the $kind place', (choice) => {
  beforeEach(() => open(choice, true))

  test('an automation is created, changed, shown and saved again without a change', async () => {
    expect((await save(THANKS)).body).toEqual({
      data: [
        {
          automationId: 'thanks',
          outcome: 'created',
          status: 'active',
          changed: ['automationId', 'name', 'status', 'trigger', 'steps', 'createdAt'],
        },
      ],
    })
    const shown = await show()
    expect(shown).toMatchObject({
      automation: THANKS,
      stepCount: 1,
      formId: 'contact',
      problems: [],
      bounds: { recipientDaily: 5, organizationHourly: 500 },
    })
    service.clock.advance(1000)
    expect((await save(shown.automation as object)).body).toMatchObject({
      data: [{ outcome: 'unchanged', changed: [] }],
    })
    expect(await show()).toEqual(shown)
    const { status: _left, ...renamed } = { ...THANKS, name: 'New', description: 'Why' }
    expect((await save(renamed)).body).toMatchObject({
      data: [{ outcome: 'changed', status: 'active', changed: ['name', 'description'] }],
    })
    const reading = await show()
    expect(reading.automation).toEqual({ ...renamed, status: 'active', createdAt: shown.createdAt })
    expect((await ask('GET', AUTOMATIONS)).body.data).toMatchObject([
      { automationId: 'thanks', formId: 'contact' },
    ])
    expect((await ask('GET', `${AUTOMATIONS}?cursor=x`)).status).toBe(400)
    expect((await ask('GET', '/operator/v1/organizations/none/automations')).status).toBe(404)
    // Another organization has none of it, and may have one of the same id.
    expect((await ask('GET', '/operator/v1/organizations/other/automations')).body.data).toEqual([])
    expect((await ask('GET', '/operator/v1/organizations/other/automations/thanks')).status).toBe(404)
  })

  test('ids may be odd, and are trimmed as an import does', async () => {
    expect((await save({ ...THANKS, automationId: ' a/b?c#ü ' })).status).toBe(200)
    expect((await show('a/b?c#ü')).automation).toMatchObject({ automationId: 'a/b?c#ü' })
    expect((await save({ ...THANKS, automationId: 'a/b?c#ü' })).body).toMatchObject({
      data: [{ outcome: 'unchanged' }],
    })
    // A path of its own is no automation of that id.
    await save({ ...THANKS, automationId: 'test' })
    expect((await show('test')).automation).toMatchObject({ automationId: 'test' })
    expect((await setStatus('paused', 'test')).status).toBe(200)
    expect((await save(THANKS, { ...THANKS, automationId: ' thanks' })).body).toMatchObject({
      problems: [{ automation: 2, field: 'automationId', message: 'is given twice' }],
    })
  })

  test('all are saved or none, and what is wrong is said with the nearest', async () => {
    const { status, body } = await save(THANKS, {
      ...THANKS,
      automationId: 'b',
      nmae: 'x',
      steps: [{ ...mail, subjct: 'S' }, { type: 'send_emial' }],
    })
    expect(status).toBe(422)
    expect(body.error).toMatch(
      /^Nothing was saved\. Automation 2: nmae is not a field of automations\. Did you mean name\? Automation 2: steps\[0\]\.subjct is not a known key\. Did you mean subject\? Automation 2: steps\[1\]\.type must be one of/,
    )
    expect((await ask('GET', AUTOMATIONS)).body.data).toEqual([])
    const wrong = await save({
      ...THANKS,
      steps: [
        { ...mail, subject: 'Hi {{firstname}}', html: '<a href={{email}}>' },
        { ...text, body: '{{nobody}}' },
        { type: 'add_to_list', listId: 'customer' },
      ],
    })
    expect(wrong.body.problems).toEqual([
      {
        automation: 1,
        field: 'steps[0].subject',
        message: 'has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}?',
      },
      {
        automation: 1,
        field: 'steps[0].html',
        message:
          'has {{email}} inside a tag, a style, a script or a comment. Put it into the text, or into a value between quotes.',
      },
      {
        automation: 1,
        field: 'steps[1].body',
        message: 'has {{nobody}}, and the form has no field of that id.',
      },
      {
        automation: 1,
        field: 'steps[2].listId',
        message: 'is customer, and the organization has no list of that id.',
      },
    ])
    const noForm = await save({ ...THANKS, trigger: { type: 'form_submission', formId: 'contacts' } })
    expect(noForm.body.error).toBe(
      'Nothing was saved. Automation 1: trigger.formId is contacts, and the organization has no form of that id. Did you mean contact?',
    )
    expect((await ask('POST', AUTOMATIONS, { automations: [] })).status).toBe(400)
    expect(
      (await ask('POST', '/operator/v1/organizations/none/automations', { automations: [THANKS] })).status,
    ).toBe(404)
    const headers = { 'if-match': '*' }
    expect((await ask('POST', AUTOMATIONS, { automations: [THANKS, THANKS] }, headers)).status).toBe(400)
  })

  test('a list must be there and static', async () => {
    const list = { name: 'L', description: null, createdAt: '2026-01-01T00:00:00.000Z' }
    await service.storage.tenant('acme').upsert('contact-lists', [
      { ...list, listId: 'customers', type: 'static' },
      { ...list, listId: 'newest', type: 'dynamic' },
    ])
    const to = (listId: string) => save({ ...THANKS, steps: [{ type: 'add_to_list', listId }] })
    expect((await to('customers')).status).toBe(200)
    expect((await to('customer')).body.error).toMatch(/of that id\. Did you mean customers\?$/)
    expect((await to('newest')).body.error).toMatch(/dynamic list, to which nobody can be added\.$/)
  })

  test('what a form has no longer is said beside the automation, which is still saved unchanged', async () => {
    await save(THANKS)
    const fields = FORM.fields.filter(({ id }) => id !== 'firstName')
    expect((await ask('POST', `${ACME}/forms`, { forms: [{ ...FORM, fields }] })).status).toBe(200)
    const shown = await show()
    expect(shown.problems).toEqual([
      'steps[0].subject has {{firstName}}, and the form has no field of that id.',
    ])
    expect((await save(shown.automation as object)).body).toMatchObject({ data: [{ outcome: 'unchanged' }] })
    expect((await save({ ...THANKS, name: 'Other' })).status).toBe(422)
    expect((await setStatus('paused')).status).toBe(200)
  })

  test('it is paused and resumed, and only an active one follows a submission', async () => {
    await save({ ...THANKS, status: 'draft' })
    const submitted = async (submissionId: string) => {
      const response = await service.send('/api/forms/contact/submissions', {
        json: { _gotcha: '', email: `${submissionId}@example.com` },
      })
      expect(response.status).toBe(200)
      return (await service.storage.outbox.list('acme', null, 100)).length
    }
    expect(await submitted('one')).toBe(0)
    expect((await setStatus('active')).body).toEqual({
      automationId: 'thanks',
      outcome: 'changed',
      status: 'active',
      changed: ['status'],
    })
    expect((await setStatus('active')).body).toMatchObject({ outcome: 'unchanged', changed: [] })
    expect(await submitted('two')).toBe(1)
    await setStatus('paused')
    expect(await submitted('three')).toBe(1)
    expect((await setStatus('draft')).status).toBe(400)
    expect((await setStatus('paused', 'nobody')).body.error).toBe('acme has no automation nobody.')
    expect((await ask('GET', AUTOMATIONS)).body.data).toMatchObject([{ status: 'paused' }])
  })

  test('a step is sent to oneself with sample answers, marked, from the sender of the organization', async () => {
    expect(await tryStep(mail, 'grace@example.com')).toEqual({
      status: 200,
      etag: null,
      body: { to: 'grace@example.com', failure: null },
    })
    expect(email.delivered.map(([, message]) => message)).toMatchObject([
      {
        from: { address: 'acme@mail.example.com' },
        to: 'grace@example.com',
        subject: '[Test] Hi Ada',
        html: '<p>Wash &amp; dry</p>',
        isAutomatic: true,
      },
    ])
    service.clock.advance(1000)
    expect((await tryStep(text, '(212) 555-0123')).body).toEqual({ to: '+12125550123', failure: null })
    expect(sms.delivered.map(([, { body, to }]) => [body, to])).toEqual([
      ['[Test] Thanks, Ada', '+12125550123'],
    ])
    expect(await service.storage.sends.open('acme').list(null, 10)).toMatchObject([
      { channel: 'sms', outcome: 'accepted' },
      { channel: 'email', outcome: 'accepted' },
    ])
    for (const [step, to, formId, status, error] of [
      [mail, 'grace', 'contact', 400, 'to: must be an email address.'],
      [text, '12', 'contact', 400, 'to: must be a phone number in international form, or ten digits.'],
      [mail, 'grace@example.com', 'none', 404, 'acme has no form none.'],
      [mail, 'grace@example.com', 'a b', 404, 'acme has no form a b.'],
      [
        { ...text, body: '{{x}}' },
        '+12125550123',
        'contact',
        400,
        /^step\.body: has \{\{x\}\}, and the form/,
      ],
      [{ type: 'add_tag', tag: 'x' }, 'grace@example.com', 'contact', 400, /^step/],
    ] as const) {
      const answer = await tryStep(step, to, formId)
      expect(answer.status).toBe(status)
      if (typeof error === 'string') expect(answer.body.error).toBe(error)
      else expect(answer.body.error).toMatch(error)
    }
    email.answers.push({ kind: 'refused', reason: 'Refused.' })
    expect((await tryStep(mail, 'grace@example.com')).body).toMatchObject({ failure: 'Refused.' })
    const { data } = (await ask('GET', '/operator/v1/audit?action=automation.test')).body
    const outcomes = (data as readonly { readonly outcome: string }[]).map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual(['done', 'done', 'done', 'refused', 'refused'])
  })

  test('tests are bounded in each hour, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 26 }, () => tryStep(mail, 'grace@example.com')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(6)
    expect(email.delivered).toHaveLength(20)
    expect(answers.find(({ status }) => status === 409)?.body.error).toMatch(
      /^Nothing was sent: 20 test messages/,
    )
    service.clock.advance(3_600_000)
    expect((await tryStep(mail, 'grace@example.com')).status).toBe(200)
  })
})

test('without a provider, a slug or a number no test is sent, and it is said why', async () => {
  await open(SHARED, false)
  expect((await tryStep(mail, 'grace@example.com')).body.error).toBe(
    'Nothing was sent: the service has no email provider.',
  )
  expect((await tryStep(text, '+12125550123')).body.error).toBe(
    'Nothing was sent: the service has no SMS provider.',
  )
  await open(SHARED, true)
  await ask('POST', ACME, { slug: null, smsNumber: null })
  expect((await tryStep(mail, 'grace@example.com')).body.error).toBe(
    'Nothing was sent: acme has no slug to send email from.',
  )
  expect((await tryStep(text, '+12125550123')).body.error).toBe(
    'Nothing was sent: acme has no number to send text messages from.',
  )
  expect((await ask('GET', `${ACME}/sends`)).body.data).toEqual([])
})
