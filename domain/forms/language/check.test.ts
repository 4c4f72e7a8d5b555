import { describe, expect, it } from 'vitest'
import { formLineKeys, readFormLine, reviewForm } from './check.ts'
import { generatedForm } from '../../../test/support/data/forms/generated-forms.ts'
import { fieldOf, optionsOf, when } from '../../../test/support/data/forms/forms.ts'
import { pathText, headlessSupport } from './compile.ts'

const minimal = {
  formId: 'contact-us',
  name: 'Contact us',
  isPublished: true,
  notificationEmails: [],
  fields: [],
}

const issuesOf = (line: Readonly<Record<string, unknown>>): readonly string[] => {
  const reading = readFormLine(line)
  return 'issues' in reading ? reading.issues.map(({ field, message }) => `${field} ${message}`) : []
}

describe('a form line', () => {
  it('may be minimal', () => {
    expect(readFormLine(minimal)).toEqual({
      form: { definition: minimal, password: null, createdAt: null, publishedAt: null },
    })
  })

  it('keeps its settings, without the password and the instants', () => {
    const settings = {
      requireEmailVerification: false,
      posEnrollment: true,
      submissionLimitPerContact: 3,
      successTitle: '',
      successMessage: 'Bye',
      publicUrl: 'https://forms.example/x',
      notificationEmails: ['a@b.example'],
      fields: [1, null, {}],
    }
    const line = {
      ...minimal,
      ...settings,
      password: 'hunter2',
      createdAt: '2026-01-01T00:00:00+01:00',
      publishedAt: '2026-01-02T00:00:00Z',
    }
    expect(readFormLine(line)).toEqual({
      form: {
        definition: { ...minimal, ...settings },
        password: 'hunter2',
        createdAt: '2025-12-31T23:00:00.000Z',
        publishedAt: '2026-01-02T00:00:00.000Z',
      },
    })
  })

  it('counts null optional settings as omitted', () => {
    const optional = formLineKeys.filter((key) => !Object.keys(minimal).includes(key))
    expect(optional).toHaveLength(13)
    const line = { ...minimal, ...Object.fromEntries(optional.map((key) => [key, null])) }
    expect(readFormLine(line)).toEqual(readFormLine(minimal))
  })

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['no id', { formId: undefined }, /^formId is required$/],
    ['a null id', { formId: null }, /^formId must be a string$/],
    ['an empty id', { formId: '' }, /^formId must be 1 to 200/],
    ['an id with a space', { formId: 'a b' }, /^formId must be 1 to 200/],
    ['an id with a line break', { formId: 'a\n' }, /^formId must be 1 to 200/],
    ['a long id', { formId: 'x'.repeat(201) }, /^formId must be 1 to 200/],
    ['the reserved id', { formId: 'submissions' }, /^formId must not be the reserved word/],
    ['no name', { name: undefined }, /^name is required$/],
    ['an empty name', { name: '' }, /^name must not be empty$/],
    ['published as text', { isPublished: 'true' }, /^isPublished must be true or false$/],
    ['published as null', { isPublished: null }, /^isPublished must be true or false$/],
    ['an empty password', { password: '' }, /^password must have from 1 to 1024 characters$/],
    ['a long password', { password: 'x'.repeat(1_025) }, /^password must have from 1/],
    [
      'verification as text',
      { requireEmailVerification: 'no' },
      /^requireEmailVerification must be true or false$/,
    ],
    [
      'a limit of zero',
      { submissionLimitPerContact: 0 },
      /^submissionLimitPerContact must be a whole number/,
    ],
    ['half a limit', { submissionLimitPerContact: 1.5 }, /^submissionLimitPerContact must be a whole number/],
    [
      'a limit as text',
      { submissionLimitPerContact: '1' },
      /^submissionLimitPerContact must be a whole number/,
    ],
    ['a title that is no string', { successTitle: 1 }, /^successTitle must be a string$/],
    ['a script as URL', { publicUrl: 'javascript:alert(1)' }, /^publicUrl must be an absolute http/],
    [
      'another word for extra answers',
      { extraAnswers: 'drop' },
      /^extraAnswers must be one of refuse, keep$/,
    ],
    ['another word for the filter', { spamFilter: true }, /^spamFilter must be one of on, off$/],
    ['an unknown language', { language: 'nl' }, /^language must be one of en, de, es, fr$/],
    ['texts that are no object', { texts: 'x' }, /^texts must be an object of texts$/],
    [
      'an unknown sentence',
      { texts: { sned: 'x' } },
      /^texts\.sned is not a known key\. Did you mean send\?$/,
    ],
    ['a list of texts', { texts: [] }, /^texts must be an object of texts$/],
    ['a sentence that is no text', { texts: { send: 1 } }, /^texts\.send must be a text of at most 1000/],
    [
      'a long sentence',
      { texts: { send: 'x'.repeat(1_001) } },
      /^texts\.send must be a text of at most 1000/,
    ],
    ['a relative URL', { publicUrl: '/x' }, /^publicUrl must be an absolute http/],
    ['no notification emails', { notificationEmails: undefined }, /^notificationEmails is required$/],
    ['null notification emails', { notificationEmails: null }, /^notificationEmails must be a list/],
    ['a notification address', { notificationEmails: 'a@b.example' }, /^notificationEmails must be a list/],
    [
      'a bad address',
      { notificationEmails: ['a@b.example', 'x'] },
      /^notificationEmails\.1 must be an email address$/,
    ],
    [
      'more than 20 addresses, once, without looking at them',
      { notificationEmails: Array.from({ length: 21 }, () => 'x') },
      /^notificationEmails must be at most 20 addresses/,
    ],
    ['no fields', { fields: undefined }, /^fields is required$/],
    ['fields as an object', { fields: {} }, /^fields must be a list/],
    ['an instant without offset', { createdAt: '2026-01-01T00:00:00' }, /^createdAt must be an ISO 8601/],
    ['a date as instant', { publishedAt: '2026-01-01' }, /^publishedAt must be an ISO 8601/],
    ['an unknown key', { colour: 'red' }, /^colour is not a key of a form/],
    ['a derived key', { updatedAt: null }, /^updatedAt is not a key of a form/],
    [
      'the key __proto__',
      JSON.parse('{"__proto__":1}') as Record<string, unknown>,
      /^__proto__ is not a key/,
    ],
    ['the key constructor', { constructor: 1 }, /^constructor is not a key of a form/],
  ])('refuses %s', (_name, change, issue) => {
    const given: Readonly<Record<string, unknown>> = Object.fromEntries([
      ...Object.entries(minimal),
      ...Object.entries(change),
    ])
    const line = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    expect(issuesOf(line)).toEqual([expect.stringMatching(issue)])
  })

  it('takes 20 addresses, without what nobody sees', () => {
    const notificationEmails = [
      '\u202aa@b.example\u202c',
      ' ada@bücher.example',
      ...Array.from({ length: 18 }, () => 'c@d.example'),
    ]
    const reading = readFormLine({ ...minimal, notificationEmails })
    expect('form' in reading ? reading.form.definition.notificationEmails.slice(0, 3) : reading).toEqual([
      'a@b.example',
      'ada@bücher.example',
      'c@d.example',
    ])
  })

  it('names every issue', () => {
    const line = { formId: 1, name: 2, isPublished: 3, notificationEmails: [4], fields: 5, a: 1, b: 2 }
    expect(issuesOf(line)).toHaveLength(7)
  })

  it('lists exactly the keys of a form', () => {
    expect([...formLineKeys].sort()).toEqual([
      'createdAt',
      'extraAnswers',
      'fields',
      'formId',
      'isPublished',
      'language',
      'name',
      'notificationEmails',
      'password',
      'posEnrollment',
      'publicUrl',
      'publishedAt',
      'requireEmailVerification',
      'spamFilter',
      'submissionLimitPerContact',
      'successMessage',
      'successTitle',
      'texts',
    ])
  })
})

import * as fc from 'fast-check'

const placesOf = (form: object) =>
  reviewForm(form as Readonly<Record<string, unknown>>).findings.map(
    ({ kind, path }) => `${kind} ${pathText(path)}`,
  )
const formOf = (fields: readonly unknown[], settings = {}) => ({
  formId: 'f',
  name: 'F',
  fields,
  ...settings,
})

it.each<[string, object, readonly string[]]>([
  ['nothing', formOf([]), []],
  ['no name', { formId: 'f', name: '', fields: [] }, ['refused name']],
  ['an address', formOf([], { notificationEmails: ['a@b.de', 'x'] }), ['refused notificationEmails[1]']],
  [
    'more addresses than there may be',
    formOf([], { notificationEmails: Array.from({ length: 21 }, (_, index) => `a${index}@b.de`) }),
    ['refused notificationEmails'],
  ],
  ['20 addresses', formOf([], { notificationEmails: Array.from({ length: 20 }, () => 'a@b.de') }), []],
  [
    'an unknown key',
    formOf([fieldOf('a', 'number', { 'a.b': 1 })], { odd: 1 }),
    ['refused odd', 'refused fields[0].a.b'],
  ],
  ['a type', formOf([fieldOf('a', 'file')]), ['hosted fields[0].type']],
  ['a type that does not exist', formOf([fieldOf('a', 'rating')]), ['refused fields[0].type']],
  [
    'an operator that does not exist',
    formOf([
      fieldOf('a', 'number'),
      fieldOf('b', 'number', {
        visibleWhen: { match: 'all', rules: [{ field: 'a', operator: 'is' }, null, { field: 'a' }, 7] },
      }),
    ]),
    [
      'refused fields[1].visibleWhen.rules[0].operator',
      'hosted fields[1].visibleWhen.rules[1]',
      'hosted fields[1].visibleWhen.rules[2].operator',
      'hosted fields[1].visibleWhen.rules[3]',
    ],
  ],
  ['the schema of the file', formOf([], { $schema: 7 }), []],
  [
    'an option',
    formOf([
      fieldOf('a', 'single_choice', {
        options: [
          { value: 'x', label: 'x' },
          { value: ' ', label: 'y' },
        ],
      }),
    ]),
    ['hosted fields[0].options[1].value'],
  ],
  [
    'two options',
    formOf([fieldOf('a', 'single_choice', { options: optionsOf('x', 'y', 'x') })]),
    ['hosted fields[0].options[2].value'],
  ],
  [
    'bounds',
    formOf([fieldOf('a', 'number', { min: 'x' }), fieldOf('b', 'number', { min: 2, max: 1 })]),
    ['hosted fields[0].min', 'hosted fields[1].min'],
  ],
  ['ids', formOf([fieldOf('a', 'number'), fieldOf('a', 'number')]), ['hosted fields[1].id']],
  [
    'a rule behind an unusable field',
    formOf([null, fieldOf('a', 'number', { visibleWhen: when('x', 'is_empty') })]),
    ['hosted fields[0]', 'hosted fields[1].visibleWhen.rules[0]'],
  ],
  [
    'a cycle',
    formOf([
      fieldOf('a', 'number', { visibleWhen: when('b', 'is_empty') }),
      fieldOf('b', 'number', { visibleWhen: when('a', 'is_empty') }),
    ]),
    ['hosted fields[0].visibleWhen', 'hosted fields[1].visibleWhen'],
  ],
  ['a limit', formOf([], { submissionLimitPerContact: 1 }), ['hosted submissionLimitPerContact']],
  [
    'settings without effect',
    formOf([fieldOf('a', 'heading', { placeholder: 'x', required: true })]),
    ['warning fields[0].required', 'warning fields[0].placeholder'],
  ],
  ['a secret', formOf([fieldOf('password', 'short_text')]), ['warning fields[0].id']],
  ['a weak password', formOf([], { password: 'short' }), ['warning password']],
])('names the place of %s', (_, form, places) => {
  expect(placesOf(form)).toEqual(places)
})

it.each([
  ['a name', { name: '' }],
  ['an address', { notificationEmails: ['x'] }],
])('gives no form to show while %s is refused, though its fields are right', (_, settings) => {
  expect(reviewForm(formOf([fieldOf('a', 'number')], settings)).form).toBeNull()
})

it('says the same as the service says of generated forms', () => {
  const property = fc.property(generatedForm, ({ fields }) => {
    const form = formOf(fields, { isPublished: true, notificationEmails: [] })
    const { findings, form: compiled } = reviewForm(form)
    const { supported, reasons } = headlessSupport(form as unknown as Parameters<typeof headlessSupport>[0])
    expect([
      ...new Set(findings.filter(({ kind }) => kind === 'hosted').map(({ sentence }) => sentence)),
    ]).toEqual(reasons)
    expect(compiled !== null).toBe(supported)
  })
  fc.assert(property, { seed: 1, numRuns: 300 })
})

it('looks through as many unknown settings as a request can have', { timeout: 20_000 }, () => {
  // Compared with each other, they take more than a minute; one after the other, a second.
  const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 0]))
  const { findings } = reviewForm(formOf([fieldOf('a', 'email', unknown)]))
  expect(findings).toHaveLength(50_000)
})
