import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { generatedForm } from '../../../test/support/data/forms/generated-forms.ts'
import { fieldOf, optionsOf, when } from '../../../test/support/data/forms/forms.ts'
import { pathText } from './compile.ts'
import { headlessSupport } from './support.ts'
import { reviewForm } from './review.ts'

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
