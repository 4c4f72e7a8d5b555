import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../../domain/jobs/deliver.ts'
import type { EmailMessage } from '../../ports/messaging.ts'
import { fieldOf, optionsOf } from '../support/data/forms/forms.ts'
import { fakeEmail, fakeReceiver, hooksOf } from '../support/providers/jobs.ts'
import { fakeRandom } from '../support/runner/fakes.ts'
import { OWN } from '../support/scratch/scratch-places.ts'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openOperatorClient, type OperatorClient } from '../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../support/services/service.ts'
import { triedPlaces } from '../support/runner/thorough.ts'

// What is posted to `/f/{formId}` by pages that were made for another form backend, beside the same at the endpoint of the
// contract.

const encodings = ['json', 'urlencoded', 'multipart'] as const
type Encoding = (typeof encodings)[number]
/** Names with their values, in their order; several of one name where a form repeats it. */
type Pairs = readonly (readonly [name: string, value: string])[]

function requestWith(
  pairs: Pairs,
  encoding: Encoding,
  headers: Readonly<Record<string, string>>,
): RequestInit {
  if (encoding === 'json') {
    const grouped = Map.groupBy(pairs, ([name]) => name)
    const members = [...grouped].map(([name, given]) => {
      const values = given.map(([, value]) => value)
      return [name, values.length === 1 ? values[0] : values] as const
    })
    const body = JSON.stringify(Object.fromEntries(members))
    return { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
  }
  const body = encoding === 'urlencoded' ? new URLSearchParams() : new FormData()
  for (const [name, value] of pairs) body.append(name, value)
  return { method: 'POST', body, headers }
}

interface Receipt {
  readonly ok: boolean
  readonly submissionId?: string
  readonly code?: string
  readonly fieldErrors?: Readonly<Record<string, string>>
}

const ORIGIN = 'https://shop.example'
const fields = [
  fieldOf('email', 'email', { contactField: 'email', required: true }),
  fieldOf('phone', 'phone', { contactField: 'phone' }),
  fieldOf('kind', 'single_choice', { options: optionsOf('a', 'b') }),
  fieldOf('wishes', 'multiple_choice', { options: optionsOf('wax', 'dry', 'foam') }),
  fieldOf('count', 'number', { max: 9 }),
  fieldOf('why', 'long_text', {
    visibleWhen: { match: 'all', rules: [{ field: 'kind', operator: 'equals', value: 'b' }] },
  }),
  fieldOf('title', 'heading'),
]

describe.each(
  triedPlaces([
    ['the shared database', undefined],
    ['databases of their own', OWN],
  ] as const),
)('pages that moved in, in %s', (_name, choice) => {
  let service: TestService
  let storage: ScratchStorage
  let admin: OperatorClient
  let mails: ReturnType<typeof fakeEmail>

  beforeEach(async () => {
    service = await openTestService((clock) => {
      storage = createScratchStorage({ clock, ...(choice === undefined ? {} : { choice }) })
      return storage
    })
    mails = fakeEmail()
    for (const id of ['acme', 'other']) await service.addOrganization(id, { slug: id })
    admin = await openOperatorClient(service, 'admin')
    await save('acme', { formId: 'kept', extraAnswers: 'keep' })
    await save('acme', { formId: 'strict' })
    await save('other', { formId: 'theirs', extraAnswers: 'keep' })
  })

  async function save(organizationId: string, settings: object): Promise<void> {
    const usual = { name: 'Moved', isPublished: true, notificationEmails: ['office@acme.example'], fields }
    const body = { forms: [{ ...usual, ...settings }] }
    expect((await admin.post(`/organizations/${organizationId}/forms`, body)).status).toBe(200)
  }

  async function post(path: string, pairs: Pairs, encoding: Encoding = 'urlencoded', headers = {}) {
    service.clock.advance(1_000)
    const init = requestWith(pairs, encoding, { origin: ORIGIN, ...headers })
    const response = await (path.startsWith('/f/')
      ? service.sendUnchecked(path, init)
      : service.send(path, init))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: response.status,
      cors: response.headers.get('access-control-allow-origin'),
      location: response.headers.get('location'),
      text,
      body: (isJson ? JSON.parse(text) : {}) as Receipt,
    }
  }

  const moved = (pairs: Pairs, encoding?: Encoding, formId = 'kept') => post(`/f/${formId}`, pairs, encoding)

  const STORED = ['formId', 'answers', 'typed', 'extra', 'attribution', 'source', 'spam', 'spamReasons']

  async function stored(submissionId: string | undefined, organizationId = 'acme') {
    const [row] = await storage
      .tenant(organizationId)
      .findMany('form-submissions', STORED, [submissionId ?? 'none'])
    return row
  }

  /** The extra answers that are kept of a post to the form `kept`. */
  async function keptOf(pairs: Pairs, encoding?: Encoding) {
    const { status, body } = await moved([['email', 'ada@example.com'], ...pairs], encoding)
    expect([status, body]).toEqual([200, expect.objectContaining({ ok: true })])
    return (await stored(body.submissionId))?.extra
  }

  /** Delivers the notifications that wait, and returns what was sent since the last time. */
  async function delivered(): Promise<readonly EmailMessage[]> {
    const before = mails.delivered.length
    const world = {
      ...{ outbox: storage.outbox, email: mails.sender, sms: null, clock: service.clock },
      mail: { domain: 'mail.example.com', brand: 'Brand' },
      hooks: hooksOf(storage, fakeReceiver().fetch),
      ...{ deadline: { after: () => AbortSignal.timeout(1_000) }, random: fakeRandom(3) },
      log: { info: () => undefined, error: () => undefined },
    }
    service.clock.advance(60_000)
    const due = (await storage.outboxOf('acme')).map(({ outboxId }) => ({ organizationId: 'acme', outboxId }))
    await sweep(world, { due: async () => due })
    return mails.delivered.slice(before).map(([, message]) => message)
  }

  const answersDrawn = fc.record({
    email: fc.constantFrom('ada@example.com', ' bo@example.com', 'nobody', ''),
    phone: fc.constantFrom('+49 761 2345678', '2125550100', '12', ''),
    kind: fc.constantFrom('a', 'b', 'c', ''),
    wishes: fc.subarray(['wax', 'dry', 'soap', 'foam']),
    count: fc.constantFrom('5', '9,5', '1.5', '10', 'x', ''),
    why: fc.string({ maxLength: 30 }),
    title: fc.constantFrom(null, null, null, 'x'),
    stranger: fc.constantFrom(null, null, null, 'x'),
    utm: fc.constantFrom(null, 'mail', ' '),
    next: fc.constantFrom(null, '/thanks', `${ORIGIN}/a?b#c`, 'https://evil.example/', '//evil.example', ''),
    gotcha: fc.constantFrom('', '', '', ' '),
  })

  test('generated answers come to the same as at the endpoint of the contract', async () => {
    const outcomes = new Set<number>()
    for (const [index, drawn] of fc.sample(answersDrawn, { seed: 46, numRuns: 150 }).entries()) {
      const { wishes, utm, next, gotcha, title, stranger, ...texts } = drawn
      const given = { title, stranger, _utm_source: utm }
      const pairs = [
        ...Object.entries({ ...texts, ...given }).flatMap(([name, value]) =>
          value === null ? [] : [[name, value] as const],
        ),
        ...wishes.map((wish) => ['wishes', wish] as const),
      ]
      const redirect = (key: string) => (next === null ? [] : [[key, next] as const])
      const encoding = encodings[index % 3] ?? 'json'
      const headers = index % 2 === 0 ? { accept: 'text/html' } : {}
      const contract = await post(
        '/api/forms/strict/submissions',
        [...pairs, ...redirect('_redirect'), ['_gotcha', gotcha]],
        encoding,
        headers,
      )
      const trap = gotcha === '' && index % 4 < 2 ? [] : [['_gotcha', gotcha] as const]
      const alias = await post('/f/strict', [...pairs, ...redirect('_next'), ...trap], encoding, headers)
      const { submissionId: oneId, ...one } = contract.body
      const { submissionId: otherId, ...other } = alias.body
      const named = (text: string) =>
        text.replace('The value of _next or _redirect', 'The value of _redirect')
      expect([drawn, JSON.parse(named(JSON.stringify(other)))]).toEqual([drawn, one])
      expect([alias.status, alias.cors, alias.location]).toEqual([contract.status, '*', contract.location])
      if (oneId === undefined) expect(named(alias.text)).toBe(contract.text)
      expect(await stored(otherId)).toEqual(await stored(oneId))
      outcomes.add(contract.status)
    }
    expect([...outcomes].sort()).toEqual([200, 303, 422])
  })

  test('what the form does not ask for is kept as it was sent, or refused', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        'title',
        '_captcha',
        '7',
        'a b',
        ' ',
      ),
      fc.string({ minLength: 1, maxLength: 12 }),
    )
    const text = fc.constantFrom('x', ' two words ', '<b>&"', '=1+1', 'é\u{1f600}', '', ' ', '0')
    const drawn = fc.uniqueArray(fc.tuple(name, text), {
      selector: ([of]) => of.replace(/\r\n?|\n/g, ''),
      maxLength: 8,
    })
    for (const [index, sent] of fc.sample(drawn, { seed: 7, numRuns: 60 }).entries()) {
      const pairs = sent.filter(
        ([of]) =>
          !/[\0\r\n"%]/.test(of) && !['email', 'phone', 'kind', 'why', 'count', 'wishes'].includes(of),
      )
      const expected = pairs.filter(([, value]) => value.trim() !== '')
      const kept = (await keptOf(pairs, encodings[index % 3])) as object | null
      // By pairs, because a comparison of objects passes over `__proto__`.
      expect(new Map(Object.entries(kept ?? {}))).toEqual(new Map(expected))
      const refused = await moved([['email', 'ada@example.com'], ...pairs], encodings[index % 3], 'strict')
      expect(refused.status).toBe(pairs.length === 0 ? 200 : 422)
      expect(Object.keys(refused.body.fieldErrors ?? {}).sort()).toEqual(pairs.map(([of]) => of).sort())
    }
  })

  test('up to its bounds', async () => {
    const many = (count: number): Pairs =>
      Array.from({ length: count }, (_, index) => [`x${String(index)}`, 'x'] as const)
    const mail: Pairs = [
      ['_subject', 'Hello'],
      ['_replyto', 'ada@example.com'],
      ['x', ''],
    ]
    expect(Object.keys((await keptOf([...many(50), ...mail])) as object)).toHaveLength(52)
    const problemsOf = async (pairs: Pairs, encoding?: Encoding) =>
      (await moved([['email', 'ada@example.com'], ...pairs], encoding)).body.fieldErrors
    const tooMany = 'At most 50 values are kept that the form does not ask for.'
    expect(await problemsOf([...many(51), ...mail])).toEqual({ x50: tooMany })
    for (const encoding of encodings) {
      const breaks = `${'a'.repeat(9_998)}\r\n`
      expect(await keptOf([['x', `${breaks}b`]], encoding)).toEqual({ x: `${breaks}b` })
      expect(await keptOf([['n'.repeat(200), 'x']], encoding)).toEqual({ ['n'.repeat(200)]: 'x' })
      expect(await problemsOf([['x', `${breaks}bc`]], encoding)).toEqual({
        x: 'Use at most 10000 characters.',
      })
      const long = `${'n'.repeat(60)}…`
      expect(await problemsOf([['n'.repeat(201), 'x']], encoding)).toEqual({
        [long]: 'This name is not kept: use 1 to 200 characters.',
      })
    }
    // A group of check boxes is one text, in JSON as in a form.
    const group: Pairs = [
      ['color', 'red'],
      ['color', ' '],
      ['color', 'blue'],
    ]
    for (const encoding of encodings) expect(await keptOf(group, encoding)).toEqual({ color: 'red, blue' })
  })

  test.each([
    ['a number', '7'],
    ['a truth value', 'true'],
    ['an object', '{"a":"x"}'],
    ['a list with a number', '["x",7]'],
    ['a list in a list', '[["x"]]'],
    ['a list of an object', '[{}]'],
    ['half a character', String.raw`"\ud800"`],
    ['a text with the character 0', String.raw`"\u0000"`],
    ['101 texts', JSON.stringify(Array(101).fill('x'))],
    ['a number with many digits', '0.12345678901234567'],
  ])('nothing but texts is kept: %s', async (_what, json) => {
    const send = async (member: string) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const sent = await service.sendUnchecked('/f/kept', {
        ...init,
        body: `{"email":"ada@example.com",${member}}`,
      })
      return { status: sent.status, body: (await sent.json()) as Receipt }
    }
    const { status, body } = await send(`"x":${json}`)
    expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([422, ['x']])
    expect((await send('"x":null,"y":[],"z":[null," "]')).status).toBe(200)
    for (const name of [String.raw`\u0000`, String.raw`\udc00`, ''])
      expect((await send(`"${name}":"x"`)).status).toBe(422)
  })

  test('the endpoint of the contract takes none of it', async () => {
    for (const key of ['company', '_subject', '_replyto', '_next']) {
      const pairs: Pairs = [
        ['_gotcha', ''],
        ['email', 'ada@example.com'],
        [key, '/x'],
      ]
      const { status, body } = await post('/api/forms/kept/submissions', pairs)
      expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([422, [key]])
    }
    const { status, body } = await post('/api/forms/kept/submissions', [['email', 'ada@example.com']])
    expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([422, ['_gotcha']])
  })

  test('the thank-you page is given once, by either name', async () => {
    const page = { accept: 'text/html' }
    const sent = (...pairs: Pairs) =>
      post('/f/strict', [['email', 'ada@example.com'], ...pairs], 'urlencoded', page)
    for (const key of ['_next', '_redirect'])
      expect(await sent([key, '/thanks'])).toMatchObject({ status: 303, location: `${ORIGIN}/thanks` })
    expect((await sent(['_next', '/a'], ['_next', '/a'])).status).toBe(422)
    const both: Pairs = [
      ['email', 'ada@example.com'],
      ['_redirect', '/a'],
      ['_next', '/a'],
    ]
    const { status, body } = await moved(both, 'json')
    expect([status, body.fieldErrors]).toEqual([422, { _next: 'Give this key once, with a single value.' }])
  })

  test('people see it, and neither the public interface nor another organization does', async () => {
    const key = await service.addKey({ organizationId: 'acme' })
    const extra: Pairs = [
      ['company', '=Lovelace'],
      ['apiKey', 'hidden'],
      ['_captcha', 'false'],
      ['constructor', 'own'],
      ['_subject', 'Hello'],
    ]
    const { body } = await moved([['email', 'ada@example.com'], ...extra])
    await moved(
      [
        ['email', 'ada@example.com'],
        ['company', 'Theirs'],
      ],
      'json',
      'theirs',
    )
    const shown = { company: '=Lovelace', constructor: 'own' }
    const path = `/organizations/acme/submissions/${body.submissionId ?? ''}`
    expect((await admin.get(path)).body).toMatchObject({
      extra: shown,
      answers: { email: 'ada@example.com' },
    })
    const listed = (await admin.get('/organizations/acme/submissions')).body as unknown as { data: object[] }
    expect(listed.data).toMatchObject([{ extra: shown }])
    for (const read of ['/api/v1/forms/submissions', '/api/v1/forms/kept/submissions', '/api/v1/contacts']) {
      const text = await (await service.send(read, { key })).text()
      expect(text).toContain('ada@example.com')
      expect(text).not.toMatch(/Lovelace|hidden|extra|Hello|Theirs/)
    }
    const [message, ...more] = await delivered()
    expect(more).toEqual([])
    expect(message?.subject).toBe('Hello')
    for (const part of [message?.text, message?.html]) {
      expect(part).toMatch(/company[^]*=Lovelace/)
      expect(part).not.toMatch(/hidden|captcha/)
    }
  })

  test.each([
    ['Two\r\nlines\u2028of  text ', 'Two lines of  text'],
    ['Bcc: a@example.com\r\n\r\nx', 'Bcc: a@example.com x'],
    ['x'.repeat(300), 'x'.repeat(200)],
    [`${'x'.repeat(199)}\u{1f600}`, 'x'.repeat(199)],
    [' \u0000\t', 'New submission: Moved'],
    ['', 'New submission: Moved'],
  ])('the subject is one line: case %#', async (given, expected) => {
    expect(
      (
        await moved([
          ['email', 'ada@example.com'],
          ['_subject', given],
        ])
      ).status,
    ).toBe(200)
    expect((await delivered()).map(({ subject }) => subject)).toEqual([expected])
  })

  test.each([
    ['ada@work.example', 'ada@work.example'],
    [' ada@Bücher.example ', 'ada@xn--bcher-kva.example'],
    ['office@ACME.example', 'visitor@example.com'],
    ['desk@mail.example.com', 'visitor@example.com'],
    ['a@b.example, c@d.example', 'visitor@example.com'],
    ['Ada <ada@work.example>', 'visitor@example.com'],
    ['ada@work.example\r\nBcc: x@y.example', 'visitor@example.com'],
    ['nobody', 'visitor@example.com'],
    ['', 'visitor@example.com'],
  ])('replies to %j go to %s', async (given, expected) => {
    expect(
      (
        await moved(
          [
            ['email', 'visitor@example.com'],
            ['_replyto', given],
          ],
          'multipart',
        )
      ).status,
    ).toBe(200)
    expect((await delivered()).map(({ replyTo }) => replyTo)).toEqual([expected])
  })

  test('what is said of the mail twice, or not as text, is left out', async () => {
    const twice = ['_subject', '_replyto'].flatMap((key): Pairs => [
      [key, 'a@example.com'],
      [key, 'a@example.com'],
    ])
    for (const encoding of encodings) expect(await keptOf(twice, encoding)).toBeNull()
    const body = '{"email":"a@example.com","_subject":7,"_replyto":{"a":[]}}'
    const headers = { 'content-type': 'application/json' }
    const sent = await service.sendUnchecked('/f/strict', { method: 'POST', headers, body })
    expect((await stored(((await sent.json()) as Receipt).submissionId))?.extra).toBeNull()
  })

  test('spam is told by it, and keeps it until it is released', async () => {
    const spam = 'Buy viagra online without prescription, fast delivery.'
    const sent: Pairs = [
      ['email', 'ada@example.com'],
      ['note', spam],
      ['_subject', 'From the shop'],
      ['_replyto', 'ada@work.example'],
    ]
    const { body } = await moved(sent)
    expect(await stored(body.submissionId)).toMatchObject({ spam: true, spamReasons: ['words'] })
    expect(await delivered()).toEqual([])
    const ids = [body.submissionId]
    const mark = (said: object) => admin.post('/organizations/acme/submissions/mark', { ids, ...said })
    expect((await mark({ spam: false })).status).toBe(204)
    const [message, ...more] = await delivered()
    expect([message?.subject, message?.replyTo, more]).toEqual(['From the shop', 'ada@work.example', []])
    expect(message?.text).toContain(spam)
    expect((await mark({ spam: true })).status).toBe(204)
    expect((await mark({ spam: false })).status).toBe(204)
    expect(await delivered()).toEqual([])
  })

  test('the same long value from each visitor is no sign of spam', async () => {
    for (let count = 0; count < 15; count += 1) {
      const value = 'https://shop.example/a-page-with-a-form-that-many-people-fill-in'
      const { body } = await moved([
        ['email', `v${String(count)}@example.com`],
        ['page', value],
      ])
      expect(await stored(body.submissionId)).toMatchObject({ spam: false, extra: { page: value } })
    }
  })

  test('it is erased with whom it is of', async () => {
    const own: Pairs = [
      ['email', 'ada@example.com'],
      ['company', 'Lovelace'],
      ['_replyto', 'ada@work.example'],
    ]
    const mine = (await moved(own)).body.submissionId
    const others = (
      await moved([
        ['email', 'bo@example.com'],
        ['company', 'Byron'],
      ])
    ).body.submissionId
    const theirs = (await moved(own, 'json', 'theirs')).body.submissionId
    const erased = await admin.post('/organizations/acme/contacts/erase', { emails: ['ada@example.com'] })
    expect(erased.status).toBe(200)
    expect(await stored(mine)).toMatchObject({ answers: {}, extra: null })
    expect(await stored(others)).toMatchObject({ extra: { company: 'Byron' } })
    expect(await stored(theirs, 'other')).toMatchObject({ extra: { company: 'Lovelace' } })
  })
})
