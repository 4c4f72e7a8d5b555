import { beforeEach, describe, expect, test } from 'vitest'
import { operatorEndpoints } from '../../../domain/operator-api.ts'
import type { PersonRole } from '../../../ports/operators.ts'
import { contact, form, submission } from '../../../adapters/conformance/fixtures.ts'
import { fakeEmail } from '../../support/providers/jobs.ts'
import { everyText } from '../../support/databases/whole-database.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openBrowser, type BrowserAnswer } from '../../support/services/operator/test-browser.ts'
import { testSecrets } from '../../support/runner/fakes.ts'
import {
  answerOf,
  openTestService,
  type TestRequest,
  type TestService,
} from '../../support/services/service.ts'
import { triedPlaces } from '../../support/runner/thorough.ts'

// People sign in by a link that is sent to them, or with a key. What they may do follows from their roles.

const HOUR_MS = 3_600_000
const ADA = 'ada@lakeside.example'
const mail = { domain: 'mail.example.com', brand: 'Brand' }
const places = { shared: { kind: 'shared' }, own: { kind: 'own', region: null, jurisdiction: null } } as const

let service: TestService
let storage: ScratchStorage
let mails: ReturnType<typeof fakeEmail>
let adminKey: string

async function open(choice: (typeof places)[keyof typeof places] = places.shared): Promise<void> {
  mails = fakeEmail()
  service = await openTestService((clock) => (storage = createScratchStorage({ clock, choice })), undefined, {
    mail,
    email: mails.sender,
  })
  adminKey = await service.addOperatorKey('admin')
  await service.addOrganization('lakeside')
  await service.addOrganization('harbor')
}

beforeEach(() => open())

const browser = () => openBrowser(service, mails)

/** Calls the operator interface with the admin's key. */
async function asAdmin(method: string, path: string, json?: unknown): Promise<number> {
  return (await service.send(`/operator/v1${path}`, { method, key: adminKey, json })).status
}

const add = (email: string, role: PersonRole, organizationId?: string) =>
  asAdmin(
    'PUT',
    `/people/${email}${organizationId === undefined ? '' : `?organizationId=${organizationId}`}`,
    {
      role,
    },
  )

/** A browser in which somebody with a role has signed in. */
async function signedIn(email: string, role: PersonRole, organizationId?: string) {
  expect(await add(email, role, organizationId)).toBe(200)
  const opened = browser()
  expect(await opened.signIn(email)).toBe(204)
  return opened
}

describe.each(triedPlaces(Object.entries(places)))('an organization in the %s place', (_name, choice) => {
  beforeEach(() => open(choice))

  test('a member signs in by the link, sees who they are, and reads their organization as its key does', async () => {
    await storage.tenant('lakeside').upsert('contacts', [contact('c-1')])
    await storage.tenant('harbor').upsert('contacts', [contact('c-2')])
    const ada = await signedIn(ADA, 'member', 'lakeside')
    const me = await ada.send('GET', '/operator/v1/me')
    expect(me.body).toMatchObject({
      kind: 'person',
      email: ADA,
      role: null,
      organizations: [{ organizationId: 'lakeside', role: 'member' }],
      reads: { member: expect.arrayContaining(['forms', 'forms/', 'members']) as unknown },
    })
    const read = await ada.send('GET', '/console/as/lakeside/api/v1/contacts')
    const key = await service.addKey({ organizationId: 'lakeside' })
    const byKey = await service.send('/api/v1/contacts', { key })
    expect([read.status, read.body]).toEqual([200, await byKey.json()])
    expect(read.body.data).toHaveLength(1)
    const other = await ada.send('GET', '/console/as/harbor/api/v1/contacts')
    const none = await ada.send('GET', '/console/as/nobody/api/v1/contacts')
    expect([other.status, other.body]).toEqual([404, none.body])
    expect((await ada.send('GET', '/operator/v1/organizations')).body.data).toMatchObject([
      { organizationId: 'lakeside' },
    ])
  })

  test('a session that a key of the organization opened reads what the key may, as long as it works', async () => {
    await storage.tenant('lakeside').upsert('contacts', [contact('c-1')])
    const [all, sends] = [
      await service.addKey({ organizationId: 'lakeside' }),
      await service.addKey({ organizationId: 'lakeside', scope: 'send' }),
    ]
    const [reader, sender] = [browser(), browser()]
    expect((await reader.send('POST', '/console/session', { key: all })).status).toBe(204)
    expect((await sender.send('POST', '/console/session', { key: sends })).status).toBe(204)
    const path = '/console/as/lakeside/api/v1/contacts'
    expect((await reader.send('GET', path)).body.data).toHaveLength(1)
    expect((await sender.send('GET', path)).status).toBe(401)
    expect((await reader.send('GET', '/console/as/harbor/api/v1/contacts')).status).toBe(404)
    expect((await reader.send('GET', '/operator/v1/me')).body).toMatchObject({
      kind: 'key',
      organizations: [{ organizationId: 'lakeside', role: 'key' }],
      may: {},
    })
    expect((await reader.send('GET', '/operator/v1/organizations')).status).toBe(403)
    const keyId = (await reader.send('GET', '/operator/v1/me')).body.keyId
    await asAdmin('POST', `/keys/${keyId}/revoke`)
    expect((await reader.send('GET', path)).status).toBe(401)
    expect((await reader.send('GET', '/operator/v1/me')).status).toBe(401)
  })

  // The only operation in which a body names the organization.
  test('checking forms beside the automations of another organization answers as if there were none', async () => {
    const forms = [{ formId: 'contact', name: 'Contact', fields: [] }]
    const checked = async (who: Awaited<ReturnType<typeof signedIn>>, organizationId: string) => {
      const { status, body } = await who.send('POST', '/operator/v1/forms/check', { organizationId, forms })
      return [status, status === 200 ? null : body]
    }
    const member = await signedIn(ADA, 'member', 'lakeside')
    const support = await signedIn('eve@lakeside.example', 'support', 'lakeside')
    for (const who of [member, support]) {
      expect(await checked(who, 'lakeside')).toEqual([200, null])
      for (const of of ['harbor', 'nobody'])
        expect(await checked(who, of)).toEqual([404, { error: `There is no organization ${of}.` }])
    }
    const ofService = await signedIn('zoe@service.example', 'support')
    expect(await checked(ofService, 'harbor')).toEqual([200, null])
  })

  test('nobody reads an organization that is being deleted', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    expect(await asAdmin('POST', '/organizations/lakeside/delete', { confirm: 'lakeside' })).toBe(200)
    expect((await ada.send('GET', '/console/as/lakeside/api/v1/contacts')).status).not.toBe(200)
    expect((await ada.send('GET', '/operator/v1/me')).status).toBe(401)
    await service.addOrganization('lakeside')
    expect((await ada.send('GET', '/console/as/lakeside/api/v1/contacts')).status).toBe(401)
  })

  test('a key that an owner issues works, and says who issued it; none is issued by who was removed', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const { status, body } = await ada.send('POST', '/operator/v1/organizations/lakeside/keys', {})
    expect([status, body.issuedBy]).toEqual([201, ADA])
    expect((await service.send('/api/v1/contacts', { key: body.key })).status).toBe(200)
    await asAdmin('DELETE', `/people/${ADA}?organizationId=lakeside`)
    expect((await ada.send('POST', '/operator/v1/organizations/lakeside/keys', {})).status).toBe(401)
  })
})

/** A browser in which a member has asked for the link, and its token. */
async function asked() {
  await add(ADA, 'member', 'lakeside')
  const ada = browser()
  return { ada, token: await ada.ask(ADA) }
}

describe('a link', () => {
  test('works once, and is used up by one of many that come at once', async () => {
    const { ada, token } = await asked()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ada.send('POST', '/console/session', { token })),
    )
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect((await ada.send('POST', '/console/session', { token })).status).toBe(401)
  })

  test('works in the browser that asked alone, and stays usable there', async () => {
    await add(ADA, 'member', 'lakeside')
    const [ada, thief] = [browser(), browser()]
    const token = await ada.ask(ADA)
    expect((await thief.send('POST', '/console/session', { token })).status).toBe(409)
    await thief.ask('somebody@else.example')
    expect((await thief.send('POST', '/console/session', { token })).status).toBe(409)
    expect((await ada.send('POST', '/console/session', { token })).status).toBe(204)
  })

  test('works for fifteen minutes', async () => {
    await add(ADA, 'member', 'lakeside')
    const ada = browser()
    const [late, inTime] = [await ada.ask(ADA), await ada.ask(ADA)]
    service.clock.advance(15 * 60_000)
    expect((await ada.send('POST', '/console/session', { token: inTime })).status).toBe(204)
    service.clock.advance(1)
    expect((await ada.send('POST', '/console/session', { token: late })).status).toBe(401)
  })

  test('opens nothing by being looked at: a GET signs nobody in', async () => {
    const { ada, token } = await asked()
    for (const method of ['GET', 'HEAD'])
      expect(
        (await ada.send(method, `/console/session?token=${String(token)}`)).headers.get('set-cookie'),
      ).toBeNull()
    expect((await ada.send('POST', '/console/session', { token })).status).toBe(204)
  })

  test('opens nothing for a person who was removed meanwhile, also when they are added again', async () => {
    const { ada, token } = await asked()
    await asAdmin('DELETE', `/people/${ADA}?organizationId=lakeside`)
    expect((await ada.send('POST', '/console/session', { token })).status).toBe(401)
    await add(ADA, 'member', 'lakeside')
    expect((await ada.send('POST', '/console/session', { token })).status).toBe(401)
    expect(await ada.signIn(ADA)).toBe(204)
  })

  test('opens nothing for a person whose role was changed meanwhile', async () => {
    const { ada, token } = await asked()
    await add(ADA, 'owner', 'lakeside')
    expect((await ada.send('POST', '/console/session', { token })).status).toBe(401)
  })

  test('is the same for every spelling of an address, and goes to the one that was given first', async () => {
    await add('Ada@Lakeside.example', 'member', 'lakeside')
    expect(await browser().ask(' aDA@LAKESIDE.EXAMPLE ')).not.toBeNull()
    expect(mails.delivered.at(-1)?.[1]).toMatchObject({ to: 'Ada@Lakeside.example', isAutomatic: true })
  })

  test('asking tells nobody who may sign in: the answer is the same, and comes before anything is looked up', async () => {
    await add(ADA, 'member', 'lakeside')
    const shown = []
    for (const email of [ADA, 'nobody@lakeside.example', 'no address', '', 'x'.repeat(900)]) {
      const { status, body, headers } = await browser().send('POST', '/console/sign-in', { email })
      const names = [...headers].map(([name, value]) => [name, name === 'set-cookie' ? '' : value])
      shown.push(JSON.stringify([status, body, names.filter(([name]) => name !== 'x-request-id')]))
      await service.settled()
    }
    expect(new Set(shown).size).toBe(1)
    expect(mails.delivered).toHaveLength(1)
  })

  test('is sent five times an hour to an address, and sixty times to a network', async () => {
    await add(ADA, 'member', 'lakeside')
    const tokens = []
    for (let count = 0; count < 7; count += 1) tokens.push(await browser().ask(ADA))
    expect(tokens.filter((token) => token !== null)).toHaveLength(5)
    service.clock.advance(HOUR_MS)
    expect(await browser().ask(ADA)).not.toBeNull()

    service.clock.advance(HOUR_MS)
    const before = mails.delivered.length
    for (let count = 0; count < 65; count += 1) {
      const email = `p${count}@lakeside.example`
      await storage.operatorChanges(entry(`a-${count}`)).savePerson(
        {
          person: email,
          email,
          organizationId: 'lakeside',
          role: 'member',
          name: null,
          addedAt: AT,
          addedBy: 'x',
        },
        null,
        null,
      )
      await browser().send(
        'POST',
        '/console/sign-in',
        { email },
        { 'cf-connecting-ip': `2001:db8::${count}` },
      )
      await service.settled()
    }
    expect(mails.delivered.length - before).toBe(60)
  })

  test('that the provider does not take is a line of the log, and the answer stays the same', async () => {
    await add(ADA, 'member', 'lakeside')
    mails.answers.push({ kind: 'refused', reason: 'Refused.' })
    expect((await browser().send('POST', '/console/sign-in', { email: ADA })).status).toBe(202)
    await service.settled()
    expect(service.logLines.join('')).toContain('sign_in_link_not_sent')
    expect(service.logLines.join('')).not.toContain('lakeside.example')
  })

  test('is not sent without a provider, which is said beforehand; the answer stays the same', async () => {
    service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
    adminKey = await service.addOperatorKey('admin')
    await add(ADA, 'admin')
    expect((await browser().send('GET', '/console/sign-in/ways')).body).toEqual({ email: false })
    expect((await browser().send('POST', '/console/sign-in', { email: ADA })).status).toBe(202)
    expect((await browser().send('POST', '/console/sign-in', {})).status).toBe(400)
    await service.settled()
    const links = [{ sql: 'select 1 from sign_in_links', parameters: [] }]
    expect((await storage.database.batch(links))[0]?.rows).toEqual([])
  })
})

const AT = '2026-06-15T11:00:00.000Z'
const entry = (auditId: string) => ({
  ...{ auditId, at: AT, operatorKeyId: null, operator: 'test', action: 'person.save' },
  ...{ organizationId: null, subject: null },
})

describe('a session', () => {
  test('ends twelve hours after its last use, and thirty days after it was opened', async () => {
    const ada = await signedIn(ADA, 'member', 'lakeside')
    const status = async () => {
      const answer = await ada.send('GET', '/operator/v1/me')
      await service.settled()
      return answer.status
    }
    service.clock.advance(12 * HOUR_MS)
    expect(await status()).toBe(200)
    service.clock.advance(12 * HOUR_MS + 1)
    expect(await status()).toBe(401)
    const other = browser()
    await other.signIn(ADA)
    for (let hours = 0; hours < 30 * 24 - 12; hours += 12) {
      service.clock.advance(12 * HOUR_MS)
      expect((await other.send('GET', '/operator/v1/me')).status).toBe(200)
      await service.settled()
    }
    service.clock.advance(12 * HOUR_MS)
    expect((await other.send('GET', '/operator/v1/me')).status).toBe(401)
  })

  test.each<readonly [string, (email: string) => Promise<unknown>]>([
    ['the role is changed', (email) => add(email, 'owner', 'lakeside')],
    ['the person is removed', (email) => asAdmin('DELETE', `/people/${email}?organizationId=lakeside`)],
    ['an operator ends it', (email) => asAdmin('POST', `/people/${email}/end-sessions`)],
  ])('ends with the next request when %s', async (_when, change) => {
    const ada = await signedIn(ADA, 'member', 'lakeside')
    expect((await ada.send('GET', '/operator/v1/me')).status).toBe(200)
    await change(ADA)
    expect((await ada.send('GET', '/operator/v1/me')).status).toBe(401)
    expect((await ada.send('GET', '/console/as/lakeside/api/v1/contacts')).status).toBe(401)
  })

  test('ends with the organization of the only role, and stays ended when the person gets one elsewhere', async () => {
    const [ada, eve] = [
      await signedIn(ADA, 'owner', 'lakeside'),
      await signedIn('eve@x.example', 'owner', 'lakeside'),
    ]
    await add('eve@x.example', 'member', 'harbor')
    for (const email of [ADA, 'eve@x.example']) await browser().send('POST', '/console/sign-in', { email })
    await service.settled()
    expect(await asAdmin('POST', '/organizations/lakeside/delete', { confirm: 'lakeside' })).toBe(200)
    await add(ADA, 'member', 'harbor')
    expect((await ada.send('GET', '/operator/v1/me')).status).toBe(401)
    expect((await eve.send('GET', '/operator/v1/me')).status).toBe(200)
    const links = [{ sql: 'select distinct person from sign_in_links', parameters: [] }]
    expect((await storage.database.batch(links))[0]?.rows).toEqual([{ person: 'eve@x.example' }])
  })

  test('that has ended is stored no longer once somebody signs in, by a link or with a key', async () => {
    const days = async (count: number) => {
      service.clock.advance(count * 24 * HOUR_MS)
      return (await storage.database.batch([{ sql: 'select browser from sessions', parameters: [] }]))[0]
        ?.rows
    }
    await add(ADA, 'member', 'lakeside')
    expect(await browser().signIn(ADA)).toBe(204)
    expect(await days(29)).toHaveLength(1)
    expect(await browser().signIn(ADA)).toBe(204)
    expect(await days(1)).toHaveLength(2)
    expect(await browser().signIn(ADA)).toBe(204)
    expect(await days(30)).toHaveLength(2)
    expect((await browser().send('POST', '/console/session', { key: adminKey })).status).toBe(204)
    expect(await days(0)).toHaveLength(1)
  })

  test('goes on when the person gets the same role again, another name, or a role elsewhere', async () => {
    const ada = await signedIn(ADA, 'member', 'lakeside')
    await add(ADA, 'member', 'lakeside')
    await asAdmin('PUT', `/people/${ADA}?organizationId=lakeside`, { role: 'member', name: 'Countess' })
    await add(ADA, 'owner', 'harbor')
    expect((await ada.send('GET', '/operator/v1/me')).body).toMatchObject({
      name: 'Countess',
      organizations: [
        { organizationId: 'harbor', role: 'owner' },
        { organizationId: 'lakeside', role: 'member' },
      ],
    })
  })

  test('signing out ends this one, and signing out everywhere all of them: a stolen cookie too', async () => {
    const ada = await signedIn(ADA, 'member', 'lakeside')
    const phone = openBrowser(service, mails, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Safari/604.1')
    await phone.signIn(ADA)
    const thief = browser()
    for (const [name, value] of phone.cookies) thief.cookies.set(name, value)
    expect((await ada.send('GET', '/operator/v1/me/sessions')).body.data).toMatchObject([
      { browser: 'Safari on iPhone' },
      { browser: 'Firefox on Windows', isThis: true },
    ])
    const kept = new Map(ada.cookies)
    expect((await ada.send('DELETE', '/console/session')).status).toBe(204)
    for (const [name, value] of kept) ada.cookies.set(name, value)
    expect((await ada.send('GET', '/operator/v1/me')).status).toBe(401)
    expect((await thief.send('GET', '/operator/v1/me')).status).toBe(200)
    expect((await phone.send('DELETE', '/operator/v1/me/sessions')).status).toBe(204)
    expect((await thief.send('GET', '/operator/v1/me')).status).toBe(401)
  })

  test('of others is ended by nobody but operators', async () => {
    const ada = await signedIn(ADA, 'member', 'lakeside')
    const eve = await signedIn('eve@harbor.example', 'owner', 'harbor')
    const [session] = (await ada.send('GET', '/operator/v1/me/sessions')).body.data
    const sessionId = session?.sessionId ?? ''
    expect((await eve.send('DELETE', `/operator/v1/me/sessions/${sessionId}`)).status).toBe(404)
    expect((await eve.send('POST', `/operator/v1/people/${ADA}/end-sessions`)).status).toBe(403)
    expect((await ada.send('DELETE', `/operator/v1/me/sessions/${sessionId}`)).status).toBe(204)
  })

  test('is not fixed by who sets a cookie beforehand: signing in draws another secret', async () => {
    const planted = await signedIn('eve@harbor.example', 'member', 'harbor')
    await add(ADA, 'member', 'lakeside')
    const ada = browser()
    for (const [name, value] of planted.cookies) ada.cookies.set(name, value)
    await ada.signIn(ADA)
    expect(ada.cookies.get('__Host-session')).not.toBe(planted.cookies.get('__Host-session'))
    expect((await planted.send('GET', '/operator/v1/me')).body.email).toBe('eve@harbor.example')
  })

  test('its cookie belongs to this host and is closed to scripts and other sites', async () => {
    const { ada, token } = await asked()
    const cookie = (await ada.send('POST', '/console/session', { token })).headers.get('set-cookie')
    expect(cookie).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['the address bar', { 'sec-fetch-site': 'none' }, 403],
    ['another origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }, 403],
    ['nowhere', { 'sec-fetch-site': '' }, 403],
    ['this origin', { 'sec-fetch-site': '', origin: 'https://service.example' }, 200],
    ['this site, whatever the origin says', { 'sec-fetch-site': 'same-origin', origin: 'null' }, 200],
  ])('a change that %s asks for', async (_from, headers, expected) => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const asked = async (method: string, path: string, body?: unknown) => {
      const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const given = Object.entries({ cookie, 'content-type': 'application/json', ...headers })
      const init = { method, headers: Object.fromEntries(given.filter(([, value]) => value !== '')) }
      const sent = await service.sendUnchecked(
        path,
        body === undefined ? init : { ...init, body: JSON.stringify(body) },
      )
      return sent.status
    }
    const forms = { forms: [{ formId: 'f', name: 'F', fields: [] }] }
    expect(await asked('POST', '/operator/v1/organizations/lakeside/forms', forms)).toBe(expected)
    const accepted = expected === 200
    expect(await asked('POST', '/console/sign-in', { email: ADA })).toBe(accepted ? 202 : 403)
    expect(await asked('POST', '/console/session', { key: adminKey })).toBe(accepted ? 204 : 403)
    expect(await asked('DELETE', '/console/session')).toBe(accepted ? 204 : 403)
  })

  test('is accepted neither under /api nor over plain http', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    expect((await ada.send('GET', '/api/v1/contacts')).status).toBe(401)
    expect((await ada.send('POST', '/api/v1/message', { to: '+12125550123', body: 'Hi' })).status).toBe(401)
    const session = ada.cookies.get('__Host-session')
    const openly = await service.sendUnchecked('http://service.example/operator/v1/me', {
      headers: { cookie: `__Host-session=${String(session)}; session-=${String(session)}` },
    })
    expect(openly.status).toBe(401)
    const signing = await service.sendUnchecked('http://service.example/console/session', {
      headers: { origin: 'http://service.example' },
      json: { key: adminKey },
    })
    expect(signing.status).toBe(403)
  })

  test('a key that comes along counts, and no cookie beside it', async () => {
    const admin = browser()
    await admin.send('POST', '/console/session', { key: adminKey })
    const forged = { authorization: `Bearer ok_live_${'A'.repeat(46)}` }
    expect((await admin.send('GET', '/operator/v1/organizations', undefined, forged)).status).toBe(401)
  })

  test('that an operator key opened is that operator, until the key ends', async () => {
    const key = await service.addOperatorKey('support', '2026-06-16T12:00:00.000Z')
    const support = browser()
    expect((await support.send('POST', '/console/session', { key })).status).toBe(204)
    expect((await support.send('GET', '/operator/v1/me')).body).toMatchObject({
      kind: 'key',
      role: 'support',
      organizations: [],
    })
    expect((await support.send('GET', '/console/as/harbor/api/v1/contacts')).status).toBe(200)
    expect((await support.send('POST', '/operator/v1/platform-keys', {})).status).toBe(403)
    await service.revokeOperatorKey(key)
    expect((await support.send('GET', '/operator/v1/me')).status).toBe(401)
    expect((await support.send('GET', '/console/as/harbor/api/v1/contacts')).status).toBe(401)
    expect((await browser().send('POST', '/console/session', { key })).status).toBe(401)
  })

  test('finds out who asks in one read, also when a key opened it', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const [operator, tenant] = [browser(), browser()]
    await operator.send('POST', '/console/session', { key: adminKey })
    await tenant.send('POST', '/console/session', {
      key: await service.addKey({ organizationId: 'lakeside' }),
    })
    await operator.send('GET', '/operator/v1/me')
    await service.settled()
    const costOf = async (opened: typeof ada, path: string) => {
      const before = storage.meter.calls
      expect((await opened.send('GET', path)).status).toBe(200)
      return storage.meter.calls - before
    }
    const own = '/operator/v1/me/sessions'
    expect([await costOf(operator, own), await costOf(tenant, own), await costOf(ada, own)]).toEqual([
      1, 1, 2,
    ])
    const read = '/console/as/lakeside/api/v1/contacts'
    expect([await costOf(operator, read), await costOf(tenant, read), await costOf(ada, read)]).toEqual([
      2, 2, 2,
    ])
  })

  test('that an operator key opened says when it ends: with the key, after thirty days at most', async () => {
    const endOf = async (expiresAt: string | null) => {
      const one = browser()
      const key = await service.addOperatorKey('support', expiresAt)
      expect((await one.send('POST', '/console/session', { key })).status).toBe(204)
      return (await one.send('GET', '/operator/v1/me/sessions')).body.data
    }
    const now = new Date(service.clock.nowMs()).toISOString()
    const days = (count: number) => new Date(Date.parse(now) + count * 24 * HOUR_MS).toISOString()
    const expected = [
      [days(1), days(1)],
      [days(29), days(29)],
      [days(31), days(30)],
      [null, days(30)],
    ] as const
    for (const [ends, expiresAt] of expected)
      expect(await endOf(ends)).toMatchObject([{ createdAt: now, expiresAt, isThis: true }])
  })

  test('that a key opened ends on the very next request when the key ends, and no other one does', async () => {
    const soon = '2026-06-15T12:30:00.000Z'
    const opened = async (key: string) => {
      const one = browser()
      expect((await one.send('POST', '/console/session', { key })).status).toBe(204)
      return one
    }
    const status = async (one: ReturnType<typeof browser>) => [
      (await one.send('GET', '/operator/v1/me')).status,
      (await one.send('GET', '/console/as/lakeside/api/v1/contacts')).status,
    ]
    const expiring = [
      await opened(await service.addKey({ organizationId: 'lakeside', expiresAt: soon })),
      await opened(await service.addOperatorKey('support', soon)),
    ]
    const revoked = await service.addOperatorKey('admin')
    const [removed, lasting, other] = [
      await opened(revoked),
      await opened(await service.addKey({ organizationId: 'lakeside' })),
      await opened(await service.addKey({ organizationId: 'harbor' })),
    ]
    for (const one of [...expiring, removed, lasting]) expect(await status(one)).toEqual([200, 200])
    expect(await status(other)).toEqual([200, 404])
    await service.revokeOperatorKey(revoked)
    expect(await status(removed)).toEqual([401, 401])
    service.clock.advance(Date.parse(soon) - service.clock.nowMs() - 1)
    for (const one of expiring) expect(await status(one)).toEqual([200, 200])
    service.clock.advance(1)
    for (const one of expiring) expect(await status(one)).toEqual([401, 401])
    expect(await status(lasting)).toEqual([200, 200])
    await storage.database.batch([
      { sql: "update api_keys set hash = 'x' where organization_id = 'lakeside'", parameters: [] },
    ])
    if (storage.database === (await storage.databaseOf('lakeside')))
      expect(await status(lasting)).toEqual([401, 401])
    expect(await status(other)).toEqual([200, 404])
  })

  test('lasts through a rotation of the root secret, and not beyond the next one', async () => {
    const generations = await Promise.all([
      testSecrets(7),
      testSecrets(8, 7),
      testSecrets(8),
      testSecrets(9, 8),
    ])
    const kept = createScratchStorage({ clock: service.clock })
    const serve = (secrets: Awaited<ReturnType<typeof testSecrets>>) =>
      openTestService(() => kept, secrets, { mail, email: mails.sender })
    const [first, ...later] = await Promise.all(generations.map(serve))
    if (first === undefined) throw new Error('there is a service')
    await first.addOrganization('lakeside')
    const keys = [await first.addOperatorKey('admin'), await first.addKey({ organizationId: 'lakeside' })]
    const cookies = []
    for (const key of keys) {
      const opened = openBrowser(first, mails)
      await opened.send('POST', '/console/session', { key })
      cookies.push(opened.cookies)
    }
    const statuses = []
    for (const generation of [first, ...later])
      for (const [index, cookie] of cookies.entries()) {
        const again = openBrowser(generation, mails)
        for (const [name, value] of cookie) again.cookies.set(name, value)
        const path = index === 0 ? '/operator/v1/organizations' : '/operator/v1/me/sessions'
        statuses.push((await again.send('GET', path)).status)
      }
    expect(statuses).toEqual([200, 200, 200, 200, 401, 401, 401, 401])
  })

  test('no secret is stored or logged: neither of a link, nor of a cookie, nor a key', async () => {
    await add(ADA, 'owner', 'lakeside')
    const ada = browser()
    const token = String(await ada.ask(ADA))
    await ada.send('POST', '/console/session', { token })
    const admin = browser()
    await admin.send('POST', '/console/session', { key: adminKey })
    const secrets = [token, adminKey, ...ada.cookies.values(), ...admin.cookies.values()]
    const texts = [...(await everyText(storage.database)).map(({ text }) => text), ...service.logLines]
    expect(texts.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([])
  })
})

describe('what each role opens', () => {
  /** A path of an operation, about an organization. */
  const pathOf = (path: string, organizationId: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      name === 'organizationId' ? organizationId : 'some-id',
    )

  /** What the operators of the service keep to themselves, word for word from the decisions on people. */
  const closedToPeople =
    /^(organizations\.(save|delete)|moves\.|restores\.|backups\.|retention\.|operatorKeys\.|platform|rows\.|sends\.|outbox\.(?!summary)|audit\.|secrets\.|health\.|people\.(sessions|endSessions|add))/
  const forOwners =
    /^(organizationForms\.publish|imports\.|organizationAutomations\.|webhooks\.|webhookDeliveries\.|outbox\.summary|importKinds\.|exports\.|archives\.format|contacts\.erase|keys\.|people\.)/

  test('is what the decisions say, of every operation', () => {
    for (const { id, access, openTo } of operatorEndpoints) {
      const expected = closedToPeople.test(id) ? null : forOwners.test(id) ? 'owner' : 'member'
      if (access === 'public' || access === 'signed_in') expect([id, openTo]).toEqual([id, null])
      else expect([id, openTo]).toEqual([id, expected])
    }
  })

  test.each<readonly [PersonRole, string | undefined]>([
    ['admin', undefined],
    ['support', undefined],
    ['support', 'lakeside'],
    ['owner', 'lakeside'],
    ['member', 'lakeside'],
  ])('%s of %s: every operation, in the organization and outside of it', async (role, organizationId) => {
    const person = await signedIn(ADA, role, organizationId)
    for (const { id, method, path, access, openTo } of operatorEndpoints) {
      if (access === 'public' || access === 'signed_in') continue
      const opens =
        role === 'admin' ||
        (role === 'support' && access === 'support') ||
        openTo === role ||
        (role === 'owner' && openTo === 'member')
      const isBound = path.includes('{organizationId}')
      const filtered = isBound ? '' : '?organizationId='
      const [inside, outside] = [
        await person.send(method, pathOf(path, 'lakeside') + (filtered && `${filtered}lakeside`)),
        await person.send(method, pathOf(path, 'harbor') + (filtered && `${filtered}harbor`)),
      ]
      const isAdmitted = ({ status, body }: typeof inside) =>
        status !== 401 && (status !== 403 || /Only operators|owner of the/.test(body.error))
      if (organizationId === undefined) {
        expect([id, isAdmitted(inside)]).toEqual([id, opens])
        expect([id, isAdmitted(outside)]).toEqual([id, opens])
        continue
      }
      if (!opens) {
        expect([id, inside.status, outside.status]).toEqual([id, 403, 403])
      } else if (isBound) {
        expect([id, isAdmitted(inside)]).toEqual([id, true])
        expect([id, outside.status, outside.body.error]).toEqual([
          id,
          404,
          'There is no organization harbor.',
        ])
      } else if (openTo === null) {
        // What is of no organization, or of all of them, is for operators of the whole service.
        const { status } = await person.send(method, pathOf(path, ''))
        expect([id, status === 403 || status === 404]).toEqual([id, true])
      }
    }
  })

  test('a change that is refused is recorded where it was to be made', async () => {
    const ada = await signedIn(ADA, 'member', 'lakeside')
    await ada.send('PUT', '/operator/v1/people/eve@harbor.example?organizationId=lakeside', { role: 'owner' })
    const kim = await signedIn('kim@lakeside.example', 'owner', 'lakeside')
    await kim.send('DELETE', '/operator/v1/people/nobody@lakeside.example?organizationId=lakeside')
    const audit = await service.send('/operator/v1/audit?organizationId=lakeside', { key: adminKey })
    const { data } = (await answerOf<{ data: readonly Record<string, unknown>[] }>(audit)).body
    const refused = data.filter(({ outcome }) => outcome !== 'done')
    const told = refused.map(({ action, outcome, operator }) => [action, outcome, operator].join(' '))
    expect(told.toSorted()).toEqual([
      'person.remove refused kim@lakeside.example',
      `person.save forbidden ${ADA}`,
    ])
  })

  test('whoever supports the service keeps what they may do in an organization of their own', async () => {
    await add(ADA, 'owner', 'lakeside')
    const ada = await signedIn(ADA, 'support')
    const { body } = await ada.send('GET', '/operator/v1/me')
    expect(body).toMatchObject({
      role: 'support',
      organizations: [{ organizationId: 'lakeside', role: 'owner' }],
    })
    const { may } = body as unknown as {
      readonly may: Readonly<Record<'owner' | 'support', readonly string[]>>
    }
    const issue = (id: string) => ada.send('POST', `/operator/v1/organizations/${id}/keys`, {})
    expect([(await issue('lakeside')).status, (await issue('harbor')).status]).toEqual([201, 403])
    for (const { id, method, path, access } of operatorEndpoints) {
      if (access === 'public' || access === 'signed_in' || !path.includes('{organizationId}')) continue
      const [own, other] = [
        await ada.send(method, pathOf(path, 'lakeside')),
        await ada.send(method, pathOf(path, 'harbor')),
      ]
      expect([id, own.status !== 403]).toEqual([id, may.owner.includes(id) || may.support.includes(id)])
      expect([id, other.status !== 403]).toEqual([id, may.support.includes(id)])
    }
  })

  test.each([
    ['harbor', 'lakeside'],
    ['lakeside', 'harbor'],
  ])('whoever owns %s and is a member of %s is each where it is', async (owned, joined) => {
    await add(ADA, 'owner', owned)
    const ada = await signedIn(ADA, 'member', joined)
    let compared = 0
    for (const { id, method, path, access, openTo } of operatorEndpoints) {
      if (access === 'public' || access === 'signed_in' || openTo !== 'owner') continue
      if (!path.includes('{organizationId}')) continue
      compared += 1
      const [own, others] = [
        await ada.send(method, pathOf(path, owned)),
        await ada.send(method, pathOf(path, joined)),
      ]
      expect([id, others.status, others.body.error]).toEqual([id, 403, 'Your role does not allow this.'])
      const isRefused = own.status === 403 && own.body.error === others.body.error
      expect([id, isRefused]).toEqual([id, false])
    }
    expect(compared).toBeGreaterThan(15)
    // What an operation leaves to owners goes by the role there too.
    for (const [organizationId, status] of [
      [owned, 200],
      [joined, 403],
    ] as const) {
      await storage.tenant(organizationId).upsert('forms', [form(`of-${organizationId}`)])
      const forms = `/operator/v1/organizations/${organizationId}/forms`
      const { form: stored } = (await ada.send('GET', `${forms}/of-${organizationId}`)).body
      const changed = { ...stored, notificationEmails: ['eve@evil.example'] }
      expect((await ada.send('POST', forms, { forms: [changed] })).status).toBe(status)
      const people = await ada.send('GET', `/operator/v1/people?organizationId=${organizationId}`)
      expect(people.status).toBe(status)
    }
  })

  test('keys of others, and people of others, are not there', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    await add('eve@harbor.example', 'owner', 'harbor')
    const issued = await asAdminJson('POST', '/organizations/harbor/keys', {})
    for (const action of ['revoke', 'rotate']) {
      const of = (keyId: string) =>
        ada.send('POST', `/operator/v1/keys/${keyId}/${action}`, { overlap: '1d' })
      const [theirs, nobodys] = [await of(issued.keyId), await of('AAAAAAAAAAAA')]
      expect([theirs.status, theirs.body.error.replace(issued.keyId, '')]).toEqual([
        404,
        nobodys.body.error.replace('AAAAAAAAAAAA', ''),
      ])
    }
    expect((await ada.send('GET', '/operator/v1/people?organizationId=harbor')).status).toBe(404)
    expect((await ada.send('GET', '/operator/v1/people')).status).toBe(403)
    const own = await ada.send('GET', '/operator/v1/people?organizationId=lakeside')
    expect(own.body.data).toMatchObject([{ email: ADA, role: 'owner' }])
  })

  test('an owner sees what waits of their organization alone, and a member nothing', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const path = '/operator/v1/outbox/summary'
    const own = await ada.send('GET', `${path}?organizationId=lakeside`)
    expect(own.body.data).toMatchObject([{ organizationId: 'lakeside' }])
    expect((await ada.send('GET', `${path}?organizationId=harbor`)).status).toBe(404)
    expect((await ada.send('GET', `${path}?organizationId=lakeside&organizationId=harbor`)).status).toBe(400)
    expect((await ada.send('GET', `${path}?organizationId=harbor&organizationId=lakeside`)).status).toBe(404)
    expect((await ada.send('GET', path)).status).toBe(403)
    const kim = await signedIn('kim@lakeside.example', 'member', 'lakeside')
    expect((await kim.send('GET', `${path}?organizationId=lakeside`)).status).toBe(403)
  })

  test('nobody gives, or takes, a role that they do not have', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const give = (email: string, role: string, query = '?organizationId=lakeside') =>
      ada.send('PUT', `/operator/v1/people/${email}${query}`, { role })
    expect((await give('new@lakeside.example', 'member')).status).toBe(200)
    expect((await give('new@lakeside.example', 'owner')).status).toBe(200)
    expect((await give('new@lakeside.example', 'support')).status).toBe(403)
    expect((await give(ADA, 'admin')).status).toBe(400)
    expect((await give(ADA, 'admin', '')).status).toBe(403)
    expect((await give(ADA, 'owner', '?organizationId=harbor')).status).toBe(404)
    await add('helper@ops.example', 'support', 'lakeside')
    const helper = '/operator/v1/people/helper@ops.example?organizationId=lakeside'
    for (const role of ['member', 'owner'])
      expect((await give('helper@ops.example', role)).body.error).toBe(
        'Nobody takes a role that they do not have, and you are owner.',
      )
    expect((await ada.send('DELETE', helper)).status).toBe(403)
    expect((await ada.send('GET', helper)).body).toMatchObject({ role: 'support' })
    await add('helper@ops.example', 'member', 'lakeside')
    expect((await give('helper@ops.example', 'owner')).status).toBe(200)
    const support = await signedIn('sam@ops.example', 'support')
    expect((await support.send('PUT', `/operator/v1/people/${ADA}`, { role: 'admin' })).status).toBe(403)
  })

  test('one call gives a role in several organizations, with a record of each; or in none', async () => {
    const give = async (json: object) =>
      answerOf(await service.send('/operator/v1/people', { key: adminKey, json }))
    const ids = ['lakeside', 'harbor', 'lakeside']
    const given = await give({ email: 'Sam@Ops.example', role: 'support', name: 'Sam', organizationIds: ids })
    const roles = ['lakeside', 'harbor'].map((organizationId) => ({
      ...{ email: 'Sam@Ops.example', name: 'Sam', role: 'support', organizationId, addedBy: 'admin' },
    }))
    expect([given.status, given.body.data]).toMatchObject([200, roles])
    const records = async () => (await asAdminJson('GET', '/audit?action=person.save')).data
    const subject = { type: 'person', role: 'support' }
    expect(await records()).toHaveLength(2)
    expect(new Set((await records()).map(({ organizationId }) => organizationId))).toEqual(new Set(ids))
    for (const record of await records()) expect(record).toMatchObject({ outcome: 'done', subject })

    const sam = browser()
    await sam.signIn('sam@ops.example')
    expect((await sam.send('GET', '/operator/v1/organizations')).body.data).toMatchObject([
      { organizationId: 'harbor' },
      { organizationId: 'lakeside' },
    ])
    const kim = { email: 'kim@ops.example', role: 'member' }
    expect((await give({ ...kim, organizationIds: ['lakeside', 'nobody'] })).status).toBe(404)
    expect((await give({ ...kim, organizationIds: Array(51).fill('lakeside') })).status).toBe(400)
    expect((await give({ ...kim, organizationIds: [] })).status).toBe(400)
    expect((await give({ ...kim, role: 'admin', organizationIds: ['lakeside'] })).status).toBe(400)
    expect((await give({ ...kim, email: 'no address', organizationIds: ['lakeside'] })).status).toBe(400)
    expect(await browser().ask(kim.email)).toBeNull()
    expect(await asAdminJson('GET', '/people?organizationId=lakeside')).toMatchObject({
      data: [{ name: 'Sam' }],
    })

    // The name stays, and so does whatever is not said.
    const again = await give({ email: 'sam@ops.example', role: 'owner', organizationIds: ['harbor'] })
    expect(again.body.data).toMatchObject([{ ...roles[1], role: 'owner' }])
    expect(await give({ email: 'sam@ops.example', role: 'support' })).toMatchObject({
      status: 200,
      body: { data: [{ organizationId: null, name: null }] },
    })
  })

  test('an admin who is removed in that moment gives nobody anything, and each record says so', async () => {
    const role = { person: ADA, email: ADA, role: 'member', name: null, addedAt: AT, addedBy: 'x' } as const
    const roles = ['lakeside', 'harbor'].map((organizationId) => ({ ...role, organizationId }))
    const changes = storage.operatorChanges({ ...entry('first'), organizationId: 'lakeside' })
    expect(await changes.addPerson(roles, ['second'], 'gone@ops.example')).toBe(false)
    expect(await asAdminJson('GET', '/people')).toMatchObject({ data: [] })
    // Nor does whoever is left with a role in one of the places.
    expect(await add('demoted@ops.example', 'owner', 'harbor')).toBe(200)
    const others = storage.operatorChanges({ ...entry('third'), organizationId: 'lakeside' })
    expect(await others.addPerson(roles, ['fourth'], 'demoted@ops.example')).toBe(false)
    expect((await asAdminJson('GET', '/people')).data).toHaveLength(1)
    const { data } = await asAdminJson('GET', '/audit?action=person.save')
    const refused = data.filter((record) => JSON.stringify(record).includes('"refused"'))
    expect(refused.map(({ organizationId }) => organizationId).sort()).toEqual([
      'harbor',
      'harbor',
      'lakeside',
      'lakeside',
    ])
  })

  test('an owner who is a member by now changes nobody, nor does support of the service', async () => {
    const kim = { person: 'kim@lakeside.example', organizationId: 'lakeside' }
    const given = { ...kim, email: kim.person, role: 'owner', name: null, addedAt: AT, addedBy: 'x' } as const
    const signed = await signedIn(kim.person, 'member', 'lakeside')
    let made = 0
    const changes = () =>
      storage.operatorChanges({ ...entry(`late-${(made += 1)}`), organizationId: 'lakeside' })
    for (const [role, organizationId] of [
      ['member', 'lakeside'],
      ['support', 'lakeside'],
      ['support', undefined],
      ['owner', 'harbor'],
    ] as const) {
      const asking = `${role}@${organizationId ?? 'service'}.example`
      await add(asking, role, organizationId)
      expect(await changes().savePerson(given, undefined, asking)).toBe(false)
      expect(await changes().removePerson(kim, undefined, asking)).toBe(false)
      expect(await storage.people.find(kim.person, 'lakeside')).toMatchObject({ role: 'member' })
      expect((await signed.send('GET', '/operator/v1/me')).status).toBe(200)
    }
    await add(ADA, 'owner', 'lakeside')
    expect(await changes().savePerson(given, undefined, ADA)).toBe(true)
    expect((await signed.send('GET', '/operator/v1/me')).status).toBe(401)
    expect(await changes().removePerson(kim, undefined, ADA)).toBe(true)
  })

  test('everybody is listed once for each role, however short the pages are', async () => {
    const roles = [
      [ADA, 'harbor', 'owner'],
      [ADA, 'lakeside', 'member'],
      ['kim@ops.example', null, 'support'],
      ['kim@ops.example', 'harbor', 'support'],
      ['kim@ops.example', 'lakeside', 'owner'],
      ['sam@ops.example', null, 'admin'],
    ] as const
    for (const [email, organizationId, role] of roles.toReversed())
      await add(email, role, organizationId ?? undefined)
    const listed = async (limit: number, query = '') => {
      const found: unknown[] = []
      let cursor = ''
      do {
        const page = await asAdminJson('GET', `/people?limit=${limit}${query}&cursor=${cursor}`)
        for (const { email, organizationId, role } of page.data as readonly Record<string, unknown>[])
          found.push([email, organizationId, role])
        cursor = page.pagination.nextCursor ?? ''
      } while (cursor !== '' && found.length < 20)
      return found
    }
    for (const limit of [1, 2, 4, 6, 7]) {
      expect(await listed(limit)).toEqual(roles)
      const own = roles.filter(([, organizationId]) => organizationId === 'lakeside')
      expect(await listed(limit, '&organizationId=lakeside')).toEqual(own)
    }
  })

  test('who gives and changes a role in one organization signs nobody out of another, or of the service', async () => {
    const eve = await signedIn('eve@harbor.example', 'owner', 'harbor')
    const [ada, sam] = [await signedIn(ADA, 'owner', 'lakeside'), await signedIn('sam@ops.example', 'admin')]
    const change = async (email: string, role: string | null) => {
      const path = `/operator/v1/people/${email}?organizationId=harbor`
      return role === null ? eve.send('DELETE', path) : eve.send('PUT', path, { role })
    }
    for (const email of [ADA, 'sam@ops.example'])
      for (const role of ['member', 'owner', 'member', null])
        expect([200, 204]).toContain((await change(email, role)).status)
    expect((await ada.send('GET', '/operator/v1/me')).body.organizations).toMatchObject([{ role: 'owner' }])
    expect((await sam.send('GET', '/operator/v1/operator-keys')).status).toBe(200)

    // What was changed applies to the very next request all the same.
    const keys = '/operator/v1/organizations/harbor/keys'
    for (const [role, status] of [
      ['owner', 200],
      ['member', 403],
      [null, 404],
    ] as const) {
      await change(ADA, role)
      expect((await ada.send('GET', keys)).status).toBe(status)
    }
    await asAdmin('DELETE', `/people/${ADA}?organizationId=lakeside`)
    expect((await ada.send('GET', '/operator/v1/me')).status).toBe(401)
    // The role in the service is for its admins to end, whatever else there is.
    await change('sam@ops.example', 'member')
    await add('sam@ops.example', 'support')
    expect((await sam.send('GET', '/operator/v1/me')).status).toBe(401)
  })

  test('a member edits forms, and leaves what sends mail and what is in public to owners', async () => {
    await storage.tenant('lakeside').upsert('forms', [form('f')])
    const member = await signedIn(ADA, 'member', 'lakeside')
    const path = '/operator/v1/organizations/lakeside/forms'
    const { form: stored } = (await member.send('GET', `${path}/f`)).body
    const save = async (changed: object) =>
      (await member.send('POST', path, { forms: [{ ...stored, ...changed }] })).status
    expect(await save({ name: 'Another name' })).toBe(200)
    expect(await save({ isPublished: !stored.isPublished })).toBe(403)
    expect(await save({ notificationEmails: ['eve@evil.example'] })).toBe(403)
    expect(await save({ formId: 'new', isPublished: true })).toBe(403)
    const mailing = { isPublished: false, notificationEmails: ['eve@evil.example'] }
    expect(await save({ formId: 'new', ...mailing })).toBe(403)
    expect(await save({ formId: 'new', isPublished: false, notificationEmails: [] })).toBe(200)
    const versions = (await member.send('GET', `${path}/f/versions`)).body
    expect(versions.data[0]?.savedBy).toBe(ADA)
    expect((await member.send('PUT', `${path}/f/published`, { isPublished: true })).status).toBe(403)
  })

  test.each(['member', 'owner', 'support'] as const)(
    '%s of one organization reads that one and no other, as long as the role lasts',
    async (role) => {
      await storage.tenant('harbor').upsert('contacts', [contact('c-1')])
      const ada = await signedIn(ADA, role, 'lakeside')
      const statusIn = async (organizationId: string) =>
        (await ada.send('GET', `/console/as/${organizationId}/api/v1/contacts`)).status
      expect([await statusIn('lakeside'), await statusIn('harbor')]).toEqual([200, 404])
      await add(ADA, role, 'harbor')
      expect([await statusIn('lakeside'), await statusIn('harbor')]).toEqual([200, 200])
      await asAdmin('DELETE', `/people/${ADA}?organizationId=lakeside`)
      expect([await statusIn('lakeside'), await statusIn('harbor')]).toEqual([404, 200])
    },
  )

  test('an owner exports without secrets', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const path = '/operator/v1/organizations/lakeside/export'
    expect((await ada.send('POST', path, { withSecrets: true })).status).toBe(403)
    expect((await ada.send('POST', path, {})).status).toBe(200)
    const { token } = await asAdminJson('POST', '/organizations/lakeside/export', { withSecrets: true })
    const lines = { token, file: 'organization.json', after: null }
    expect((await ada.send('POST', `${path}/lines`, lines)).status).toBe(403)
  })

  test('the audit names the person', async () => {
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    await ada.send('POST', '/operator/v1/organizations/lakeside/keys', {})
    const { data } = await asAdminJson('GET', '/audit?action=key.issue')
    expect(data[0]).toMatchObject({
      operator: ADA,
      operatorKeyId: null,
      organizationId: 'lakeside',
      outcome: 'done',
    })
  })

  test('a person of a hundred organizations sees each of them', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `org-${String(index).padStart(3, '0')}`)
    for (const id of ids) {
      await service.addOrganization(id)
      await add(ADA, 'member', id)
    }
    const ada = browser()
    await ada.signIn(ADA)
    expect((await ada.send('GET', '/operator/v1/me')).body.organizations).toHaveLength(100)
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await ada.send('GET', `/operator/v1/organizations?limit=30&cursor=${cursor}`)
      seen.push(...body.data.map(({ organizationId }) => organizationId))
      cursor = body.pagination.nextCursor ?? ''
    } while (cursor !== '')
    expect(seen).toEqual(ids)
  })

  test('two who change a person at once do not undo each other', async () => {
    await add('kim@lakeside.example', 'member', 'lakeside')
    const ada = await signedIn(ADA, 'owner', 'lakeside')
    const path = '/operator/v1/people/kim@lakeside.example?organizationId=lakeside'
    const etag = (await ada.send('GET', path)).headers.get('etag') ?? ''
    expect((await ada.send('PUT', path, { role: 'owner' }, { 'if-match': etag })).status).toBe(200)
    const second = await ada.send('PUT', path, { role: 'member' }, { 'if-match': etag })
    expect([second.status, second.body.current.role]).toEqual([412, 'owner'])
    expect((await ada.send('PUT', path, { role: 'member' }, { 'if-none-match': '*' })).status).toBe(412)
  })
})

async function asAdminJson(method: string, path: string, json?: unknown): Promise<BrowserAnswer['body']> {
  const response = await service.send(`/operator/v1${path}`, { method, key: adminKey, json })
  return response.json() as Promise<BrowserAnswer['body']>
}

test('what else a person and their operators may ask for', async () => {
  await storage.tenant('lakeside').upsert('forms', [form('f')])
  await storage.tenant('lakeside').saveSubmission(submission('s-1', { formId: 'f' }))
  await storage.tenant('lakeside').saveSubmission(submission('s-2', { formId: 'f' }))
  const member = await signedIn(ADA, 'member', 'lakeside')
  const other = browser()
  await other.signIn(ADA)
  const path = '/operator/v1/organizations/lakeside/submissions/delete'
  const remove = async (ids: readonly string[]) => (await member.send('POST', path, { ids })).status
  expect(await remove(['s-1', 'nobody'])).toBe(409)
  expect(await remove(['s-1'])).toBe(200)
  expect(await remove(['s-1'])).toBe(409)
  const sent = (method: string, at: string, init: TestRequest = {}) =>
    service.send(`/operator/v1${at}`, { method, key: adminKey, ...init })
  const deletion = { json: { ids: ['s-2'] } }
  expect((await sent('POST', '/organizations/nobody/submissions/delete', deletion)).status).toBe(404)
  expect((await sent('POST', '/organizations/lakeside/submissions/delete', deletion)).status).toBe(200)
  expect((await sent('POST', '/organizations/lakeside/submissions/delete', deletion)).status).toBe(409)

  const person = `/people/${ADA}?organizationId=lakeside`
  const shown = await sent('GET', person)
  expect([shown.status, await shown.json()]).toMatchObject([200, { email: ADA, role: 'member' }])
  const change = (query: string, headers = {}) =>
    sent('PUT', `/people/${ADA}${query}`, { headers, json: { role: 'owner' } })
  expect((await change('?organizationId=nobody')).status).toBe(404)
  expect((await change('?organizationId=lakeside', { 'if-match': '"another"' })).status).toBe(412)
  const [session] = (await member.send('GET', '/operator/v1/me/sessions')).body.data
  const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const own = { headers: { cookie, 'sec-fetch-site': 'same-origin' }, method: 'DELETE' }
  expect((await service.send(`/operator/v1/me/sessions/${session?.sessionId ?? ''}`, own)).status).toBe(204)
})

test.each([
  ['POST', '/console/sign-in'],
  ['POST', '/console/session'],
  ['DELETE', '/console/session'],
])('%s %s bears any body, any cookie and any path around it', async (method, path) => {
  const odd = [
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"email":null}',
    '{"token":{}}',
    '{"key":1,"token":"x"}',
    '{"email":"\\u0000"}',
  ]
  const long = JSON.stringify({ email: 'a'.repeat(20_000), key: 'b', token: 'c' })
  const cookies = [
    '',
    '=',
    ';;;',
    '__Host-session=',
    `__Host-session=${'x'.repeat(43)}`,
    'a'.repeat(8_000),
    '__Host-sign-in=\u00ff',
  ]
  for (const body of method === 'POST' ? [...odd, long, '{"email":"\ud800@x.example"}'] : [undefined])
    for (const cookie of cookies)
      for (const query of ['', '?token=x', '?%00'])
        for (const type of ['application/json', 'text/plain', '']) {
          const headers = Object.entries({ cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' })
          const { status } = await service.sendUnchecked(path + query, {
            method,
            headers: Object.fromEntries(headers.filter(([, value]) => value !== '')),
            ...(body === undefined ? {} : { body }),
          })
          expect(status).toBeLessThan(500)
          expect(status === 204).toBe(method === 'DELETE')
        }
  await service.settled()
  expect(service.errors).toEqual([])
})

// Decision 18: "A member reads the organization's submissions, forms, contacts and reports".
test('a member reads submissions, forms, contacts and reports, and nothing else; an owner and support read all', async () => {
  type Document = { readonly paths: Readonly<Record<string, object>> }
  const { paths } = (await answerOf<Document>(await service.send('/api/v1/openapi.json'))).body
  const collections = Object.keys(paths).filter((path) => 'get' in (paths[path] ?? {}) && !path.includes('{'))
  const reports = 'members|cohorts|retention-offers|cancellations|cancellation-survey'
  const members = new RegExp(
    `^/api/v1/(?:(?:contacts|contact-lists|forms)(?:/|$)|(?:${reports}|openapi\\.json)$)`,
  )
  const people = {
    member: await signedIn(ADA, 'member', 'lakeside'),
    owner: await signedIn('kim@lakeside.example', 'owner', 'lakeside'),
    support: await signedIn('sam@ops.example', 'support', 'lakeside'),
  }
  const key = await service.addKey({ organizationId: 'lakeside' })
  const statusOf = async (who: keyof typeof people, path: string) =>
    (await people[who].send('GET', `/console/as/lakeside${path}`)).status
  const closed = collections.filter((path) => !members.test(path))
  expect(closed).toContain('/api/v1/vouchers')
  expect(closed).toContain('/api/v1/cancellations/records')
  for (const path of collections) {
    const asKey = (await service.send(path, { key })).status
    expect([path, await statusOf('owner', path)]).toEqual([path, asKey])
    expect([path, await statusOf('support', path)]).toEqual([path, asKey])
    expect([path, await statusOf('member', path)]).toEqual([path, members.test(path) ? asKey : 403])
  }
  for (const path of [
    'vouchers?includeCodes=true',
    'vouchers/v-1',
    'formsx',
    '%66orms',
    'forms/../vouchers',
    'forms%2F..%2Fvouchers',
  ])
    expect([path, await statusOf('member', `/api/v1/${path}`)]).toEqual([path, 403])
  expect((await people.member.send('GET', '/console/as/lakeside/api/v1/vouchers')).body.error).toMatch(
    /Ask an owner/,
  )
  // In an organization of others even the refusal says nothing.
  expect((await people.member.send('GET', '/console/as/harbor/api/v1/vouchers')).status).toBe(404)
})

test('an address of a reading that no session may have is no way around', async () => {
  const ada = await signedIn(ADA, 'member', 'lakeside')
  for (const path of [
    '/console/as/lakeside/api/v1/../../../../operator/v1/operator-keys',
    '/console/as/lakeside%2F..%2Fharbor/api/v1/contacts',
    '/console/as/lakeside/api/v1/message',
    '/console/as//api/v1/contacts',
    '/console/as/lakeside/operator/v1/audit',
    '/console/as/LAKESIDE/api/v1/contacts',
  ]) {
    const { status } = await ada.send('GET', path)
    expect([path, status >= 400 && status < 500]).toEqual([path, true])
  }
  const sent = await ada.send('POST', '/console/as/lakeside/api/v1/message', {
    to: '+12125550123',
    body: 'Hi',
  })
  expect(sent.status).toBe(405)
})
