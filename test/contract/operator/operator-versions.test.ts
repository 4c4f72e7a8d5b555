import { beforeEach, describe, expect, test } from 'vitest'
import { hashFormPassword } from '../../../domain/forms/password.ts'
import { operatorEndpoints } from '../../../domain/operator-api.ts'
import { fakeRandom, testSecrets } from '../../support/runner/fakes.ts'
import { portWith } from '../../support/runner/port-with.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import {
  answerOf,
  openTestService,
  type Answer,
  type Page,
  type TestService,
} from '../../support/services/service.ts'
import { triedPlaces } from '../../support/runner/thorough.ts'
import { PLACES } from '../../support/scratch/scratch-places.ts'

// ETag and If-Match: nobody's change is undone unseen.

const ACME = '/operator/v1/organizations/acme'
const FORM = `${ACME}/forms/contact`
const EMAIL = { id: 'email', type: 'email', label: 'Email' }
const CONTACT = { formId: 'contact', name: 'Contact', notificationEmails: [], fields: [EMAIL] }

let service: TestService
let key: string

const ask = async (method: string, path: string, json?: object, headers = {}): Promise<Answer> =>
  answerOf(await service.send(path, { method, key, json, headers }))

/** Something that is read, changed and written back: where it is shown, and the changes of it, each to another state. */
interface State {
  readonly name: string
  readonly shownAt: string
  readonly changes: Readonly<Record<string, (headers?: object) => Promise<Answer>>>
}

const saveForm =
  (changes: object) =>
  (headers: object = {}) =>
    ask('POST', `${ACME}/forms`, { forms: [{ ...CONTACT, ...changes }] }, headers)
const publish =
  (isPublished: boolean) =>
  (headers: object = {}) =>
    ask('PUT', `${FORM}/published`, { isPublished }, headers)
const THANKS = `${ACME}/automations/thanks`
const saveAutomation =
  (changes: object) =>
  (headers: object = {}) =>
    ask(
      'POST',
      `${ACME}/automations`,
      {
        automations: [
          { automationId: 'thanks', name: 'Thanks', trigger: { type: 'manual' }, steps: [], ...changes },
        ],
      },
      headers,
    )
const setStatus =
  (status: string) =>
  (headers: object = {}) =>
    ask('PUT', `${THANKS}/status`, { status }, headers)
const saveSettings =
  (settings: object) =>
  (headers: object = {}) =>
    ask('POST', ACME, settings, headers)
const setRetention =
  (settings: object) =>
  (headers: object = {}) =>
    ask('POST', `${ACME}/retention`, settings, headers)

const states: readonly State[] = [
  {
    name: 'a form',
    shownAt: FORM,
    changes: {
      'its name': saveForm({ name: 'Renamed' }),
      'a field': saveForm({ fields: [{ ...EMAIL, label: 'Your email' }] }),
      'its first publication': publish(true),
      'its end': publish(false),
      'a password': saveForm({ password: 'sesame' }),
      'another password': saveForm({ password: 'another' }),
      'no password': saveForm({ password: null }),
    },
  },
  {
    name: 'an automation',
    shownAt: THANKS,
    changes: {
      'its name': saveAutomation({ name: 'Renamed' }),
      'a step': saveAutomation({ steps: [{ type: 'add_tag', tag: 'vip' }] }),
      'its beginning': setStatus('active'),
      'its pause': setStatus('paused'),
    },
  },
  {
    name: 'an organization',
    shownAt: ACME,
    changes: {
      'its name': saveSettings({ name: 'Renamed' }),
      'its point of sale': saveSettings({ posSource: { kind: 'odbc_second', tenant: 'dsn' } }),
      'one retention': setRetention({ submissions: 30 }),
      'the other retention': setRetention({ sends: 7 }),
      'no retention': setRetention({ submissions: null, sends: null }),
    },
  },
]

describe.each(triedPlaces(PLACES))('in the $kind place', (choice) => {
  beforeEach(async () => {
    service = await openTestService((clock) => createScratchStorage({ clock, choice }))
    await service.addOrganization('acme')
    key = await service.addOperatorKey('admin')
    await saveForm({})()
    await saveAutomation({})()
  })

  describe.each(states)('$name', ({ shownAt, changes }) => {
    const show = () => ask('GET', shownAt)

    test('has an ETag that every change changes, and nothing else', async () => {
      const seen = new Set<string | null>()
      for (const change of Object.values(changes)) {
        const { etag, body } = await show()
        expect(etag).toMatch(/^"[\w-]{22}"$/)
        expect(await show()).toEqual({ status: 200, etag, body })
        seen.add(etag)
        const changed = await change()
        expect(changed.status).toBe(200)
        expect((await show()).etag).toBe(changed.etag)
      }
      seen.add((await show()).etag)
      // Without a retention, and with the point of sale, an organization is what it was before.
      const same = shownAt === ACME ? 1 : 0
      expect(seen.size).toBe(Object.keys(changes).length + 1 - same)
      expect(service.errors).toEqual([])
    })

    test.each(Object.keys(changes))(
      'is changed with its ETag, and not with an older one: %s',
      async (name) => {
        const change = changes[name]
        if (change === undefined) throw new Error('There is no such change')
        if (name === 'its end' || name === 'no password') await publish(true)()
        if (name === 'no password') await saveForm({ password: 'sesame' })()
        if (name === 'no retention') await setRetention({ sends: 1 })()
        const { etag: old } = await show()
        const others: Readonly<Record<string, State['changes'][string]>> = {
          [FORM]: saveForm({ name: 'Meanwhile' }),
          [THANKS]: saveAutomation({ name: 'Meanwhile' }),
        }
        const meanwhile = others[shownAt] ?? saveSettings({ slug: 'meanwhile' })
        const { etag } = await meanwhile()
        const before = await show()
        expect(before.etag).toBe(etag)
        const refused = await change({ 'if-match': old ?? '' })
        expect(refused).toEqual({
          status: 412,
          etag,
          body: {
            error:
              'Somebody else changed this after you read it, so nothing was changed. See current, and try again with its ETag.',
            current: before.body,
          },
        })
        expect(await show()).toEqual(before)
        const made = await change({ 'if-match': `"other", ${etag ?? ''}` })
        expect(made.status).toBe(200)
        expect(made.etag).toBe((await show()).etag)
        expect((await change({ 'if-match': '*' })).status).toBe(200)
      },
    )

    test.each(['W/', ' W/'])('is not changed with its ETag after %j, which makes it weak', async (weak) => {
      const before = await show()
      for (const change of Object.values(changes))
        expect((await change({ 'if-match': `${weak}${before.etag ?? ''}` })).status).toBe(412)
      expect(await show()).toEqual(before)
    })

    test.each(['x', '"x', '*, "x"', '"x" "y"'])(
      'is not changed with the malformed If-Match %s',
      async (given) => {
        const before = await show()
        for (const change of Object.values(changes)) {
          const { status, body } = await change({ 'if-match': given })
          expect([status, body.error]).toEqual([400, expect.stringMatching(/^If-Match: must be ETags/)])
        }
        expect(await show()).toEqual(before)
      },
    )
  })

  test('a form with its password hashed anew has the same ETag, and so has what is only read or submitted', async () => {
    await saveForm({ password: 'sesame', isPublished: true })()
    const tags = async () => [(await ask('GET', FORM)).etag, (await ask('GET', ACME)).etag]
    const before = await tags()
    const tenant = service.storage.tenant('acme')
    const [row] = await tenant.findMany('forms', ['passwordHash'], ['contact'])
    const hash = await hashFormPassword('sesame', await testSecrets(), fakeRandom(3))
    await tenant.replacePasswordHash('contact', String(row?.passwordHash), hash)
    const submitted = await service.send('/api/forms/contact/submissions', {
      json: { _gotcha: '', _password: 'sesame', email: 'ada@example.com' },
    })
    expect(submitted.status).toBe(200)
    await saveForm({ password: 'sesame' })()
    expect(await tags()).toEqual(before)
  })

  test('a form that was deleted and made again has another ETag', async () => {
    const { etag } = await ask('GET', FORM)
    await ask('POST', `${ACME}/rows/forms/delete`, { ids: ['contact'] })
    expect((await saveForm({})({ 'if-match': etag ?? '' })).body).toEqual({
      error: 'It is not there, or no longer, so nothing was changed.',
      current: null,
    })
    expect((await publish(true)({ 'if-match': etag ?? '' })).status).toBe(404)
    await saveForm({})()
    expect((await saveForm({ name: 'Late' })({ 'if-match': etag ?? '' })).status).toBe(412)
  })

  test('a form that was deleted and made again has none of its versions', async () => {
    await saveForm({ name: 'Renamed' })()
    const versions = async () => (await ask('GET', `${FORM}/versions`)).body.data
    expect(await versions()).toHaveLength(2)
    await ask('POST', `${ACME}/rows/forms/delete`, { ids: ['contact'] })
    await saveForm({ name: 'Anew' })()
    expect(await versions()).toEqual([expect.objectContaining({ version: 1, name: 'Anew' })])
  })

  test('the versions of a form are listed once each, however short the pages are', async () => {
    for (const name of ['Two', 'Three', 'Four', 'Five']) await saveForm({ name })()
    for (const limit of [1, 2, 3, 5]) {
      const found: unknown[] = []
      let cursor: string | null = ''
      do {
        const { body } = await ask('GET', `${FORM}/versions?limit=${limit}&cursor=${cursor}`)
        const { data, pagination } = body as unknown as Page
        found.push(...data.map(({ version, name }) => [version, name]))
        cursor = pagination.nextCursor
      } while (cursor !== null && found.length < 9)
      const names = ['Five', 'Four', 'Three', 'Two', 'Contact']
      expect(found).toEqual(names.map((name, index) => [5 - index, name]))
    }
  })

  test('what must be new is not made in place of what is there', async () => {
    const isNew = { 'if-none-match': '*' }
    expect((await saveForm({ name: 'Other' })(isNew)).status).toBe(412)
    expect((await saveSettings({ name: 'Other' })(isNew)).status).toBe(412)
    expect((await ask('GET', FORM)).body.name).toBe('Contact')
    expect((await saveForm({ formId: 'new' })(isNew)).status).toBe(200)
    const created = await ask('POST', '/operator/v1/organizations/new', { name: 'New' }, isNew)
    expect(created.status).toBe(201)
    expect((await ask('GET', '/operator/v1/organizations/new')).etag).toBe(created.etag)
    expect((await saveForm({})({ 'if-none-match': '"x"' })).status).toBe(400)
  })

  test('an automation that must be new is not made in place of one that is there', async () => {
    const isNew = { 'if-none-match': '*' }
    expect((await saveAutomation({ name: 'Other' })(isNew)).status).toBe(412)
    expect((await saveAutomation({ automationId: 'new' })(isNew)).status).toBe(200)
    const gone = await saveAutomation({ automationId: 'gone' })({ 'if-match': '*' })
    expect([gone.status, gone.body.current]).toEqual([412, null])
    expect((await ask('GET', THANKS)).body.name).toBe('Thanks')
  })

  test('several forms are saved without a condition and have no ETag together', async () => {
    const forms = [CONTACT, { ...CONTACT, formId: 'second' }]
    const several = (headers: object) => ask('POST', `${ACME}/forms`, { forms }, headers)
    expect(await several({})).toMatchObject({ status: 200, etag: null })
    expect((await several({ 'if-match': '*' })).status).toBe(400)
  })

  test('nothing that is not there is changed, with a condition or without', async () => {
    const nobody = '/operator/v1/organizations/nobody'
    const any = { 'if-match': '*' }
    expect((await ask('POST', `${nobody}/retention`, { sends: 1 }, any)).status).toBe(404)
    expect((await ask('POST', nobody, { name: 'Nobody' }, any)).status).toBe(412)
    expect((await ask('PUT', `${ACME}/forms/none/published`, { isPublished: true }, any)).status).toBe(404)
    expect((await ask('GET', nobody)).status).toBe(404)
  })

  test('a version is restored only over the state that was seen', async () => {
    await saveForm({ name: 'Other' })()
    const restore = (headers: object) => ask('POST', `${FORM}/versions/1/restore`, {}, headers)
    expect((await restore({ 'if-match': '"stale"' })).status).toBe(412)
    expect((await restore({ 'if-match': (await ask('GET', FORM)).etag ?? '' })).status).toBe(200)
  })

  test('a change that was refused for its condition is in the audit, with what it was about', async () => {
    const stale = { 'if-match': '"stale"' }
    service.clock.advance(1000)
    await saveForm({})(stale)
    service.clock.advance(1000)
    await saveSettings({ slug: 'acme' })(stale)
    const { body } = await ask('GET', '/operator/v1/audit?limit=2')
    expect(body.data).toMatchObject([
      { outcome: 'refused', subject: { type: 'settings', changed: ['slug'] } },
      { outcome: 'refused', subject: { type: 'forms', ids: ['contact'] } },
    ])
  })

  test('a change that others overtake again and again is given up, and nothing is changed', async () => {
    const { storage } = service
    let attempts = 0
    const change = async () => {
      attempts += 1
      return null
    }
    const tenant = (organizationId: string) => portWith(storage.tenant(organizationId), { change })
    service = await openTestService(() => ({ ...storage, tenant }))
    const { status, body } = await saveForm({ name: 'Never' })()
    expect([status, body.error]).toEqual([412, expect.stringMatching(/^Others changed this again and again/)])
    expect(attempts).toBe(100)
    expect((await ask('GET', FORM)).body.name).toBe('Contact')
  })
})

test('every operation that changes a versioned state says so in the same way', () => {
  const changing = operatorEndpoints.filter(({ versioned }) => versioned !== null && 'of' in versioned)
  expect(changing.map(({ id }) => id).sort()).toEqual([
    'formVersions.restore',
    'organizationAutomations.save',
    'organizationAutomations.setStatus',
    'organizationForms.publish',
    'organizationForms.save',
    'organizations.save',
    'people.save',
    'retention.set',
    'webhooks.rotate',
    'webhooks.update',
  ])
  for (const { headers, responses, action } of changing) {
    expect(action).not.toBeNull()
    expect(Object.keys(headers)).toContain('If-Match')
    expect(Object.keys(responses)).toContain('412')
  }
})
