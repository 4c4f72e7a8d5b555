import { describe, expect, it, test } from 'vitest'
import {
  flag,
  number,
  reasonsFor,
  shownWhen,
  subjects,
  text,
} from '../../../test/support/data/forms/form-subjects.ts'
import { definitionOf, fieldOf, optionsOf, when } from '../../../test/support/data/forms/forms.ts'
import { formWarnings, abuseWarnings } from './warnings.ts'
import { headlessSupport } from './compile.ts'

describe('what is supported', () => {
  it.each<[string, readonly unknown[]]>([
    ['no fields at all', []],
    [
      'every type',
      [
        ...subjects,
        fieldOf('l', 'long_text'),
        fieldOf('e', 'email'),
        fieldOf('c', 'consent'),
        fieldOf('g', 'paragraph'),
      ],
    ],
    [
      'null optional settings',
      [
        fieldOf('a', 'short_text', {
          required: null,
          placeholder: null,
          helpText: null,
          options: null,
          min: null,
          max: null,
          minLength: null,
          maxLength: null,
          contactField: null,
          visibleWhen: null,
        }),
      ],
    ],
    ['ids that objects inherit', [fieldOf('constructor', 'short_text'), fieldOf('toString', 'number')]],
    ['an id of 200 characters', [fieldOf('x'.repeat(200), 'short_text')]],
    ['ids with spaces and umlauts', [fieldOf('Wie heißt du?', 'short_text'), fieldOf(' ', 'short_text')]],
    [
      'bounds',
      [
        fieldOf('n', 'number', { min: 0, max: 0 }),
        fieldOf('d', 'date', { min: '2026-01-01', max: '2026-12-31' }),
      ],
    ],
    ['lengths', [fieldOf('a', 'short_text', { minLength: 0, maxLength: 10_000 })]],
    ['settings that do not apply', [fieldOf('a', 'short_text', { min: 1, options: [] })]],
    ['unknown settings', [fieldOf('a', 'short_text', { colour: 'red' })]],
    ['a rule on a number as text', [number, shownWhen('n', 'any_of', ['1', 2])]],
    ['a stray value', [text, shownWhen('a', 'is_empty', { odd: true })]],
    ['no value where none is needed', [flag, shownWhen('f', 'is_not_empty')]],
    ['false as a value', [flag, shownWhen('f', 'equals', false)]],
    ['zero as a value', [number, shownWhen('n', 'equals', 0)]],
  ])('%s', (_name, fields) => {
    expect(headlessSupport(definitionOf(fields))).toEqual({ supported: true, reasons: [] })
  })
})

describe('a limit per contact', () => {
  const limited = { submissionLimitPerContact: 1 }
  const mail = { contactField: 'email', required: true }

  it.each<[string, unknown]>([
    ['an email', fieldOf('e', 'email', mail)],
    ['a phone', fieldOf('p', 'phone', { contactField: 'phone', required: true })],
    ['text', fieldOf('t', 'short_text', mail)],
  ])('is fine with %s', (_name, field) => {
    expect(reasonsFor([field], limited)).toEqual([])
  })

  it.each<[string, readonly unknown[]]>([
    ['no field', []],
    ['an optional field', [fieldOf('e', 'email', { contactField: 'email' })]],
    ['a field mapped to nothing', [fieldOf('e', 'email', { required: true })]],
    ['a field mapped to a name', [fieldOf('e', 'short_text', { required: true, contactField: 'firstName' })]],
    [
      'a field that can be hidden',
      [text, fieldOf('e', 'email', { ...mail, visibleWhen: when('a', 'is_empty') })],
    ],
    ['a field whose answers are no text', [fieldOf('e', 'number', mail)]],
  ])('needs more than %s', (_name, fields) => {
    expect(reasonsFor(fields, limited)).toEqual([expect.stringMatching(/limits submissions per contact/)])
    expect(reasonsFor(fields, { submissionLimitPerContact: null })).toEqual([])
  })
})

describe('warnings', () => {
  it('names ids that hide their answers', () => {
    const fields = ['apiKey', 'card_number', 'businessName', 'secretary'].map((id) =>
      fieldOf(id, 'short_text'),
    )
    const warnings = formWarnings(definitionOf(fields))
    expect(warnings.map((warning) => /^Field "(\w+)"/.exec(warning)?.[1])).toEqual(['apiKey', 'card_number'])
  })

  it('names settings without effect', () => {
    const fields = [
      fieldOf('a', 'short_text', { min: 1, maxLength: 5 }),
      fieldOf('m', 'multiple_choice', { options: optionsOf('x'), max: 2, contactField: 'email' }),
      fieldOf('h', 'heading', { required: true, colour: 'red' }),
    ]
    expect(formWarnings(definitionOf(fields))).toEqual([
      'Field "a": min has no effect on a field of type short_text.',
      'Field "m": max has no effect on a field of type multiple_choice.',
      'Field "m": contactField has no effect on a field of type multiple_choice.',
      'Field "h": required has no effect on a field of type heading.',
      'Field "h": the setting "colour" is unknown and has no effect.',
    ])
  })

  it('has none for a plain form and leaves unusable fields to the reasons', () => {
    expect(formWarnings(definitionOf([text, null, fieldOf('password', 'file')]))).toEqual([])
  })
})

const weak = /password has fewer than 10/
const texts = /sends a text message to the contact after each submission/
const emails = /sends an email to the contact after each submission/

test.each([
  [null, null, [], []],
  ['x'.repeat(9), null, [], [weak]],
  ['x'.repeat(10), null, [], []],
  ['😀'.repeat(9), null, [], [weak]],
  [null, null, ['text message'], [texts]],
  [null, null, ['email', 'text message'], [emails, texts]],
  [null, 3, ['email', 'text message'], []],
  ['short', undefined, ['text message'], [weak, texts]],
])('password %j, limit %j, messages %j', (password, limit, messages, expected) => {
  const settings = limit === undefined ? {} : { submissionLimitPerContact: limit }
  expect(abuseWarnings(definitionOf([], settings), { password, messages })).toEqual(
    expected.map((pattern) => expect.stringMatching(pattern) as unknown),
  )
})
