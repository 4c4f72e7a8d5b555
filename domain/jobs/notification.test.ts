import { expect, test } from 'vitest'
import { definitionOf, fieldOf, optionsOf } from '../../test/support/data/forms/forms.ts'
import { languages } from '../forms/language/definition.ts'
import { sayerOf } from '../forms/language/words.ts'
import { notificationEmail } from './notify.ts'

const from = { name: 'Acme', address: 'acme@mail.example.com' }
const mail = { domain: 'mail.example.com' }
const english = await sayerOf({})

function compose(
  fields: readonly unknown[],
  answers: Readonly<Record<string, unknown>>,
  name = 'Contact us',
  say = english,
) {
  const submission = {
    submissionId: 'sub_1',
    formId: 'contact-us',
    answers,
    submittedAt: '2026-06-15T12:34:56.000Z',
    contactId: null,
    typed: null,
    extra: null,
  }
  return notificationEmail(
    { submission, form: { name, definition: definitionOf(fields) } },
    { from, to: 'office@example.com' },
    mail,
    say,
  )
}

const labelled = (id: string, type: string, label: string, settings = {}) =>
  fieldOf(id, type, { label, ...settings })

test('shows answers under their labels, in the order of the form, in plain words', () => {
  const options = [{ value: 'w', label: 'Wax' }, ...optionsOf('tires')]
  const { text, subject, to, replyTo } = compose(
    [
      labelled('name', 'short_text', 'Your name'),
      labelled('title', 'heading', 'Extras'),
      labelled('extras', 'multiple_choice', 'Extras', { options }),
      labelled('ok', 'consent', 'Agreed'),
      labelled('news', 'consent', 'Newsletter'),
      labelled('cost', 'number', 'Cost'),
      labelled('mail', 'email', 'Email', { contactField: 'email' }),
    ],
    {
      ok: true,
      news: false,
      gone: 'x',
      odd: { a: [1] },
      mail: ' ada@example.com ',
      cost: 0,
      extras: ['w', 'tires'],
      name: 'Ada\nLovelace',
    },
  )
  expect(text).toBe(
    [
      'New submission: Contact us',
      'Your name: Ada\nLovelace',
      'Extras: Wax, tires',
      'Agreed: Yes',
      'Newsletter: No',
      'Cost: 0',
      'Email:  ada@example.com ',
      'gone: x',
      'odd: {"a":[1]}',
      'Submitted 2026-06-15 12:34 UTC. Submission sub_1.',
    ].join('\n\n'),
  )
  expect([subject, to, replyTo]).toEqual([
    'New submission: Contact us',
    'office@example.com',
    'ada@example.com',
  ])
})

test('speaks as the form does, with its own words for yes and no, and writes the minute as its language does', async () => {
  const fields = [labelled('ok', 'consent', 'Einverstanden'), labelled('news', 'boolean', 'Neuigkeiten?')]
  const composed = async (voice: Parameters<typeof sayerOf>[0], answers = { ok: true, news: false }) =>
    compose(fields, answers, 'Tisch für 2', await sayerOf(voice))
  const { text, html, subject } = await composed({ language: 'de' })
  expect(subject).toBe('Neue Einsendung: Tisch für 2')
  expect(text).toBe(
    [
      ...['Neue Einsendung: Tisch für 2', 'Einverstanden: Ja', 'Neuigkeiten?: Nein'],
      'Eingegangen am 15.06.2026 12:34 UTC. Einsendung sub_1.',
    ].join('\n\n'),
  )
  expect(html).toContain('<html lang="de">')
  expect(html).toContain('Neue Einsendung: Tisch für 2</h1>')
  const own = await composed({ language: 'de', texts: { yes: 'Jawohl', mailTitle: 'Anfrage ({form})' } })
  expect(own.subject).toBe('Anfrage (Tisch für 2)')
  expect(own.text).toContain('Einverstanden: Jawohl')
  const marks = { en: '2026-06-15 12:34 UTC', de: '15.06.2026 12:34 UTC' }
  for (const language of languages) {
    const said = String((await composed({ language })).text)
    expect(said).toContain(language in marks ? marks[language as 'en'] : '15/06/2026 12:34 UTC')
    expect(/New|Submi|: Yes/.test(said)).toBe(language === 'en')
  }
})

test('shows a phone number as it was typed, but never one whose field reads as a secret', () => {
  const submission = {
    submissionId: 's',
    formId: 'f',
    answers: { phone: '7612345678', secret_phone: '7612345678', other: '2125550100' },
    typed: { phone: '+49 761 2345678', secret_phone: '+49 761 2345678', other: '+1 212 555 0199' },
    extra: null,
    submittedAt: '2026-06-15T12:34:56.000Z',
    contactId: null,
  }
  const { text } = notificationEmail({ submission, form: null }, { from, to: 'a@example.com' }, mail, english)
  expect(text).toContain('phone: +49 761 2345678\n\nother: 2125550100\n\n')
  expect(text).not.toContain('secret')
})

test('escapes everything that strangers or tenants wrote', () => {
  const { html } = compose(
    [labelled('a', 'short_text', '<b>"&')],
    { a: "<script>alert('x')</script>" },
    '<i>Form',
  )
  expect(html).not.toMatch(/<script|<b>|<i>/)
  expect(html).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;')
  expect(html).toContain('&lt;b&gt;&quot;&amp;')
})

test('leaves out what reads as a secret, and what was not answered', () => {
  const { text, html } = compose(
    [labelled('api_key', 'short_text', 'Key'), labelled('a', 'short_text', 'A')],
    {
      api_key: 'hush',
      password: 'hush',
    },
  )
  expect(`${String(text)}${html}`).not.toContain('hush')
  expect(text).toContain('No answers.')
})

test('keeps control characters and length out of the subject, and works without the form', () => {
  const { subject } = compose([], {}, `A\r\nBcc: x@example.com${'é'.repeat(300)}`)
  expect(subject).toMatch(/^New submission: A Bcc: x@example\.com/)
  expect(subject).toHaveLength(200)
  const submission = {
    submissionId: 's',
    formId: 'f',
    answers: { a: 1 },
    submittedAt: '2026-06-15T12:34:56.000Z',
    contactId: null,
    typed: null,
    extra: null,
  }
  expect(
    notificationEmail({ submission, form: null }, { from, to: 'a@example.com' }, mail, english).text,
  ).toContain('a: 1')
})

test.each([
  ['ada@example.com', true],
  [' Ada.Byron+x@mail.example.co ', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`ada@${'b'.repeat(63)}.com`, true],
  [`ada@${'b'.repeat(64)}.com`, false],
  ['ada@xn--bcher-kva.xn--p1ai', true],
  ['ada@1.2x', true],
  ['ada@gmail', false],
  ['ada@gmail.c', false],
  ['a..b@x.co', false],
  ['.a@x.co', false],
  ['a.@x.co', false],
  ['.@x.co', false],
  ['ada@127.0.0.1', false],
  ['ada@example.123', false],
  ['ada@example..com', false],
  ['ada@example.com.', false],
  ['ada@-example.com', false],
  ['ada@example.com\r\nBcc: b@example.com', false],
  ['Ada <ada@example.com>', false],
  ['ädä@example.com', false],
])('a reply goes to %j: %s', (answer, isTaken) => {
  const { replyTo } = compose([labelled('mail', 'email', 'Email', { contactField: 'email' })], {
    mail: answer,
  })
  expect(replyTo).toBe(isTaken ? answer.trim() : null)
})

test.each([
  ['\u202aada@example.com\u202c', 'ada@example.com'],
  ['Ada@bücher.example', 'Ada@xn--bcher-kva.example'],
])('a reply to %j goes to %s', (answer, replyTo) => {
  const mapped = [labelled('mail', 'email', 'Email', { contactField: 'email' })]
  expect(compose(mapped, { mail: answer }).replyTo).toBe(replyTo)
})

test('says when some addresses of the form get nothing', () => {
  const submission = {
    submissionId: 's',
    formId: 'f',
    answers: {},
    submittedAt: '',
    contactId: null,
    typed: null,
    extra: null,
  }
  const textFor = (count: number) => {
    const notificationEmails = Array.from({ length: count }, (_, index) => `a${index}@example.com`)
    const form = { name: 'F', definition: definitionOf([], { notificationEmails }) }
    return notificationEmail({ submission, form }, { from, to: 'a0@example.com' }, mail, english).text
  }
  expect(textFor(20)).not.toContain('notification addresses')
  expect(textFor(21)).toContain('The form has 21 notification addresses; only the first 20 get an email.')
})

test('no reply goes to an address that the visitor gave for something else', () => {
  const fields = [
    labelled('friend', 'email', 'Address of a friend'),
    labelled('mail', 'email', 'Email', { contactField: 'email' }),
  ]
  const friend = 'friend@example.com'
  expect(compose(fields, { friend, mail: 'ada@example.com' }).replyTo).toBe('ada@example.com')
  expect(compose(fields, { friend }).replyTo).toBeNull()
})

test('a reply goes to the first address that providers take', () => {
  const fields = ['one', 'two'].map((id) => labelled(id, 'email', 'Email', { contactField: 'email' }))
  expect(compose(fields, { one: 'ada@gmail', two: 'ada@example.com' }).replyTo).toBe('ada@example.com')
})

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['office@example.com', null],
  ['OFFICE@Example.Com', null],
  [' office@example.com ', null],
  ['second@example.com', null],
  ['anybody@mail.example.com', null],
  ['Anybody@MAIL.Example.com', null],
  ['ada@sub.mail.example.com', 'ada@sub.mail.example.com'],
  ['ada@notmail.example.com', 'ada@notmail.example.com'],
  ['ada@xn--bcher-kva.example', null],
])('replies to a notification of %j go to %j', (given, address) => {
  const fields = [labelled('mail', 'email', 'Email', { contactField: 'email' })]
  const definition = {
    ...definitionOf(fields),
    notificationEmails: ['office@example.com', 'Second@EXAMPLE.com', 'ada@Bücher.example'],
  }
  const submission = {
    submissionId: 's',
    formId: 'f',
    answers: { mail: given },
    submittedAt: '2026-06-15T12:34:56.000Z',
    contactId: null,
    typed: null,
    extra: null,
  }
  const form = { name: 'F', definition }
  const message = notificationEmail({ submission, form }, { from, to: 'office@example.com' }, mail, english)
  expect([message.replyTo, message.isAutomatic]).toEqual([address, true])
})

test('of two addresses, replies go to the first that may have them', () => {
  const field = (id: string) => labelled(id, 'email', id, { contactField: 'email' })
  const answers = { first: 'office@example.com', second: 'ada@example.com' }
  expect(compose([field('first'), field('second')], answers).replyTo).toBe('ada@example.com')
})
