import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sendImport } from '../support/data/sent-import.ts'
import { fieldOf } from '../support/data/forms/forms.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openOperatorClient } from '../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../support/services/service.ts'
import { triedPlaces } from '../support/runner/thorough.ts'

// What people type into a form means the same however it is sent, and a person is the same person in whichever spelling
// they are named: in a submission, an import, a filter and an erasure.

const places = [{ kind: 'shared' }, { kind: 'own', region: null, jurisdiction: null }] as const

type Encoding = 'json' | 'urlencoded' | 'multipart'

/** The request with the answers, as text. */
function requestWith(answers: Readonly<Record<string, string>>, encoding: Encoding): RequestInit {
  const entries = Object.entries({ _gotcha: '', ...answers })
  if (encoding === 'urlencoded') return { method: 'POST', body: new URLSearchParams(entries) }
  if (encoding === 'json')
    return {
      method: 'POST',
      body: JSON.stringify(Object.fromEntries(entries)),
      headers: { 'content-type': 'application/json' },
    }
  const body = new FormData()
  for (const [name, value] of entries) body.append(name, value)
  return { method: 'POST', body }
}

async function openForm(service: TestService, admin: Awaited<ReturnType<typeof openOperatorClient>>) {
  const fields = [
    fieldOf('email', 'email', { contactField: 'email' }),
    fieldOf('phone', 'phone', { contactField: 'phone' }),
    fieldOf('other', 'short_text', { contactField: 'email' }),
    fieldOf('count', 'number'),
    fieldOf('text', 'long_text', { minLength: 3, maxLength: 5 }),
  ]
  const form = { formId: 'typed', name: 'Typed', isPublished: true, notificationEmails: [], fields }
  expect((await admin.post('/organizations/acme/forms', { forms: [form] })).status).toBe(200)
  return async (answers: Readonly<Record<string, string>>, encoding: Encoding) => {
    const sent = await service.send('/api/forms/typed/submissions', requestWith(answers, encoding))
    const { submissionId, fieldErrors } = (await sent.json()) as {
      readonly submissionId?: string
      readonly fieldErrors?: object
    }
    return { status: sent.status, submissionId, fieldErrors }
  }
}

interface Row {
  readonly contactId: string | null
  readonly answers: object
  readonly email: string | null
  readonly phone: string | null
}

async function read(service: TestService, key: string, path: string): Promise<readonly Row[]> {
  const response = await service.send(path, { key })
  expect(response.status).toBe(200)
  return ((await response.json()) as { readonly data: readonly Row[] }).data
}

async function openAcme(choice: (typeof places)[number]) {
  const service = await openTestService((clock) => createScratchStorage({ clock, choice }))
  const key = await service.addOrganization('acme', { phoneCountry: 'DE' })
  const admin = await openOperatorClient(service, 'admin')
  return { service, key, admin, submit: await openForm(service, admin) }
}

test.each(triedPlaces(places))('what is typed means the same in every encoding: $kind', async (choice) => {
  const { service, key, submit } = await openAcme(choice)
  const typed = { count: ' ١٢,٥\u200f', text: 'a\r\nb\r\nc', phone: '\u202a٠٣٠ ٩٠١٨٢٠\u202c' }
  const wrong = { count: '9007199254740993', text: '\r\n\r\n', phone: '١٢٣' }
  for (const encoding of ['json', 'urlencoded', 'multipart'] as const) {
    expect(await submit(typed, encoding)).toMatchObject({ status: 200 })
    const [latest] = await read(service, key, '/api/v1/forms/typed/submissions?limit=1')
    expect(latest?.answers).toEqual({ count: 12.5, text: 'a\r\nb\r\nc', phone: '030901820' })
    service.clock.advance(1_000)
    expect(await submit(wrong, encoding)).toMatchObject({
      status: 422,
      fieldErrors: {
        count: 'Enter a number of at most 15 digits.',
        phone: 'Enter a valid phone number.',
      },
    })
  }
  expect(await read(service, key, '/api/v1/contacts?phone=030901820')).toMatchObject([
    { phone: '+4930901820' },
  ])
  const inJson = (members: string) =>
    service.send('/api/forms/typed/submissions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"_gotcha":"",${members}}`,
    })
  for (const number of ['9007199254740993', '0.12345678901234567', '1e400', '1e-400', '-1234567890123456'])
    expect([number, (await inJson(`"count":${number}`)).status]).toEqual([number, 422])
  for (const number of ['900719925474099e3', '-0', '1.50000000000000000000', '100000000000000000000'])
    expect([number, (await inJson(`"count":${number}`)).status]).toEqual([number, 200])
})

/** The last ten digits, counted off one by one: each script's digits begin at a zero of their own. */
function lastTenDigits(text: string): string {
  const zeros = ['0', '\u0660', '\u06f0', '\u0966', '\uff10']
  let digits = ''
  for (const character of text)
    for (const zero of zeros) {
      const value = (character.codePointAt(0) ?? 0) - (zero.codePointAt(0) ?? 0)
      if (value >= 0 && value <= 9) digits += String(value)
    }
  return digits.length > 10 ? digits.substring(digits.length - 10) : digits
}

const phoneText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...Array.from('0123456789٠٣٩۷९１')) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '+',
          '+49 ',
          '(0)',
          ' ',
          '-',
          '/',
          '.',
          ' x',
          'Tel. ',
          ';',
          '="',
          '\u{1f4de}',
        ),
      },
    ),
    { minLength: 7, maxLength: 24 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => lastTenDigits(text).length >= 7)

/** A submission as people are shown it. */
interface Shown {
  readonly submissionId: string
  readonly answers: Readonly<Record<string, unknown>>
}

test.each(triedPlaces(places))(
  'people see a phone number as it was typed, the public API its last ten digits: $kind',
  async (choice) => {
    const { service, key, admin, submit } = await openAcme(choice)
    const texts = [
      '+49 171 2345678',
      '0171 / 234 56 78',
      '2125550100',
      '212-555-0100',
      ...fc.sample(phoneText, { seed: 44, numRuns: 60 }),
    ]
    for (const [index, text] of texts.entries()) {
      const encoding = (['json', 'urlencoded', 'multipart'] as const)[index % 3] ?? 'json'
      const { status, submissionId = '' } = await submit({ phone: text, text: '12345' }, encoding)
      expect([text, status]).toEqual([text, 200])
      const [latest] = await read(service, key, '/api/v1/forms/typed/submissions?limit=1')
      expect(latest?.answers).toEqual({ phone: lastTenDigits(text), text: '12345' })
      const shown = (await admin.get(`/organizations/acme/submissions/${submissionId}`))
        .body as unknown as Shown
      expect(shown.answers).toEqual({ phone: text, text: '12345' })
      const listed = (await admin.get('/organizations/acme/submissions?limit=1')).body as unknown as {
        readonly data: readonly Shown[]
      }
      expect(listed.data.map(({ answers }) => answers)).toEqual([{ phone: text, text: '12345' }])
      const select = ['typed']
      const [row] = await service.storage.tenant('acme').findMany('form-submissions', select, [submissionId])
      expect(row).toEqual({ typed: lastTenDigits(text) === text ? null : { phone: text } })
      service.clock.advance(1_000)
    }
  },
)

test.each(triedPlaces(places))(
  'what was typed is imported, erased and hidden like the answer: $kind',
  async (choice) => {
    const { service, key, admin } = await openAcme(choice)
    const line = (submissionId: string, answers: object, more: object = {}) => ({
      ...{ submissionId, formId: 'typed', contactId: null, answers, source: 'hosted' },
      submittedAt: '2026-01-01T00:00:00Z',
      ...more,
    })
    const phone = '7612345678'
    const imported = async (...lines: readonly object[]) => {
      const importId = await sendImport(service, admin, 'acme', 'form-submissions', lines)
      const state = await admin.post(`/organizations/acme/imports/${importId ?? ''}/commit`)
      await service.settled()
      return state.status
    }
    const shown = async (submissionId: string) =>
      ((await admin.get(`/organizations/acme/submissions/${submissionId}`)).body as unknown as Shown).answers
    const typed = '+49 761 2345678'
    await imported(
      line(
        'whole',
        { phone, secret: '12345678901' },
        { typed: { phone: typed, secret: '+1 12345678901', gone: typed } },
      ),
      line('plain', { phone }),
    )
    expect([await shown('whole'), await shown('plain')]).toEqual([{ phone: typed }, { phone }])
    // A line that says nothing of it keeps it. What was typed for another answer is not shown.
    await imported(line('whole', { phone }))
    expect(await shown('whole')).toEqual({ phone: typed })
    await imported(line('whole', { phone: '7612345679' }))
    expect(await shown('whole')).toEqual({ phone: '7612345679' })
    await imported(line('whole', { phone }))
    for (const wrong of ['x', [typed], { phone: 7 }, { phone: null }])
      expect([wrong, await imported(line('wrong', { phone }, { typed: wrong }))]).not.toEqual([wrong, 200])
    expect(JSON.stringify(await read(service, key, '/api/v1/forms/submissions'))).not.toContain('761 ')
    const erased = await admin.post('/organizations/acme/contacts/erase', { phones: [typed] })
    expect(erased.status).toBe(200)
    const stored = await service.storage
      .tenant('acme')
      .findMany('form-submissions', ['submissionId', 'answers', 'typed'], ['whole'])
    expect(stored).toEqual([{ submissionId: 'whole', answers: {}, typed: null }])
  },
)

test.each(triedPlaces(places))('one person in every spelling of an address: $kind', async (choice) => {
  const { service, key, admin, submit } = await openAcme(choice)
  const spellings = [
    'Ada@bücher.example',
    'ada@xn--bcher-kva.example',
    '\u202aada@BÜCHER.example\u202c',
    'ada@bu\u0308cher\u200b.example',
  ]
  for (const [index, email] of spellings.entries()) {
    expect(await submit({ [index === 2 ? 'other' : 'email']: email }, 'multipart')).toMatchObject({
      status: 200,
    })
    service.clock.advance(1_000)
    // As it was given first.
    expect(await read(service, key, '/api/v1/contacts')).toMatchObject([{ email: 'Ada@bücher.example' }])
  }
  const submissions = await read(service, key, '/api/v1/forms/submissions')
  expect(new Set(submissions.map(({ contactId }) => contactId)).size).toBe(1)
  expect(submissions.map(({ answers }) => answers)).toEqual([
    { email: 'ada@bu\u0308cher.example' },
    { other: '\u202aada@BÜCHER.example\u202c' },
    { email: 'ada@xn--bcher-kva.example' },
    { email: 'Ada@bücher.example' },
  ])
  for (const email of spellings)
    expect(await read(service, key, `/api/v1/contacts?email=${encodeURIComponent(email)}`)).toHaveLength(1)
  const wrong = await service.send('/api/v1/contacts?email=ada@b%C3%BC%2Fcher.example', { key })
  expect(wrong.status).toBe(400)

  const importId = await sendImport(service, admin, 'acme', 'contacts', [
    { contactId: 'c-1', email: '\u2068bo@日本.example\u2069', phone: '\u202a+49 ٣٠ ٩٠١٨٢٠\u202c' },
  ])
  await admin.post(`/organizations/acme/imports/${importId ?? ''}/commit`)
  await service.settled()
  expect(await read(service, key, '/api/v1/contacts?email=bo@xn--wgv71a.example')).toMatchObject([
    { contactId: 'c-1', email: 'bo@日本.example', phone: '+4930901820' },
  ])
  expect(await submit({ email: 'bo@xn--wgv71a.example' }, 'json')).toMatchObject({ status: 200 })
  expect((await read(service, key, '/api/v1/contacts')).map(({ contactId }) => contactId)).toContain('c-1')
  expect(await read(service, key, '/api/v1/contacts')).toHaveLength(2)

  // A row without a contact carries the address in its own spelling.
  const signup = {
    signupId: 's-1',
    contactId: null,
    email: 'ada@bücher.example',
    emailConsent: true,
    smsConsent: false,
    signedUpAt: '2026-01-01T00:00:00Z',
  }
  const signupImport = await sendImport(service, admin, 'acme', 'marketing-signups', [signup])
  await admin.post(`/organizations/acme/imports/${signupImport ?? ''}/commit`)
  await service.settled()
  expect(await read(service, key, '/api/v1/marketing/signups')).toMatchObject([
    { email: 'ada@bücher.example' },
  ])
  const erased = await admin.post('/organizations/acme/contacts/erase', {
    emails: ['\u202aADA@XN--BCHER-KVA.example\u202c'],
  })
  expect([erased.status, erased.body]).toMatchObject([200, { contactIds: [expect.any(String)] }])
  expect(await read(service, key, '/api/v1/marketing/signups')).toMatchObject([{ email: null }])
  expect(await read(service, key, '/api/v1/contacts?email=Ada@bücher.example')).toEqual([])
})

test('a form notifies at most 20 addresses', async () => {
  const { service, admin } = await openAcme(places[0])
  const addresses = Array.from({ length: 21 }, (_, index) => `office${index}@bücher.example`)
  const form = (notificationEmails: readonly string[]) => ({
    formId: 'many',
    name: 'Many',
    isPublished: true,
    notificationEmails,
    fields: [fieldOf('a', 'short_text')],
  })
  const refused = await admin.post('/organizations/acme/forms', { forms: [form(addresses)] })
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    422,
    expect.stringContaining('notificationEmails must be at most 20 addresses'),
  ])
  const importId = await sendImport(service, admin, 'acme', 'forms', [form(addresses)])
  const state = await admin.get(`/organizations/acme/imports/${importId ?? ''}`)
  expect(JSON.stringify(state.body)).toContain('must be at most 20 addresses')
  const checked = await admin.post('/forms/check', { forms: [form(addresses), form(addresses.slice(1))] })
  expect(checked.body).toMatchObject({
    data: [
      { problems: [{ field: 'notificationEmails' }], findings: [{ place: 'notificationEmails' }] },
      { problems: [] },
    ],
  })
  expect((await admin.post('/organizations/acme/forms', { forms: [form(addresses.slice(1))] })).status).toBe(
    200,
  )
  // One that was stored before there was a limit.
  const row = {
    ...form(addresses),
    passwordHash: null,
    publishedAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  }
  const { fields, notificationEmails, ...columns } = row
  await service.storage.tenant('acme').upsert('forms', [
    {
      ...columns,
      definition: { formId: 'many', name: 'Many', isPublished: true, fields, notificationEmails },
    },
  ])
  const sent = await service.send('/api/forms/many/submissions', requestWith({ a: 'x' }, 'urlencoded'))
  expect(sent.status).toBe(200)
  const { submissionId } = (await sent.json()) as { readonly submissionId: string }
  const waiting = (await admin.get(`/organizations/acme/submissions/${submissionId}`)).body as unknown as {
    readonly waiting: readonly object[]
  }
  expect(waiting.waiting).toHaveLength(20)
})
