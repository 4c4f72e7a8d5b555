import { describe, expect, it } from 'vitest'
import {
  date,
  flag,
  many,
  number,
  one,
  phone,
  reasonsFor,
  shownWhen,
  subjects,
  text,
} from '../../../test/support/data/forms/form-subjects.ts'
import { fieldOf, optionsOf, when } from '../../../test/support/data/forms/forms.ts'

describe('what is not supported, naming the field and what is wrong', () => {
  it.each<[string, readonly unknown[], RegExp]>([
    ['not an object', ['a'], /^Field 1 is not an object\.$/],
    ['null', [text, null], /^Field 2 is not an object\.$/],
    ['a list', [[text]], /^Field 1 is not an object\.$/],
    ['no id', [{ type: 'short_text', label: '' }], /^Field 1: .*id/],
    [
      'an id that is no string',
      [{ id: 1, type: 'short_text', label: '' }],
      /^Field 1: the id must be a string/,
    ],
    ['an empty id', [fieldOf('', 'short_text')], /^Field 1: the id must not be empty/],
    ['a long id', [fieldOf('x'.repeat(201), 'short_text')], /^Field 1: the id must have at most 200/],
    [
      'an id with an underscore',
      [fieldOf('_gotcha', 'short_text')],
      /^Field 1: the id must not start with "_"/,
    ],
    ['the id __proto__', [fieldOf('__proto__', 'short_text')], /^Field 1: the id must not start with "_"/],
    ['duplicate ids', [text, number, text], /^Field "a" stands in the form more than once/],
    ['no type', [{ id: 'a', label: '' }], /^Field "a" has no type/],
    ['an unknown type', [fieldOf('a', 'rating')], /^Field "a" is of type "rating"/],
    ['a type that objects inherit', [fieldOf('a', 'constructor')], /^Field "a" is of type "constructor"/],
    ...['file', 'signature', 'payment', 'email_verification', 'pos_enrollment'].map(
      (type): [string, readonly unknown[], RegExp] => [
        type,
        [fieldOf('a', type)],
        /^Field "a" is of type .* hosted form/,
      ],
    ),
    [
      'a label that is no string',
      [{ id: 'a', type: 'short_text', label: 1 }],
      /^Field "a": label must be a string/,
    ],
    [
      'required as text',
      [fieldOf('a', 'short_text', { required: 'true' })],
      /^Field "a": required must be true or false/,
    ],
    [
      'a placeholder that is no string',
      [fieldOf('a', 'short_text', { placeholder: 1 })],
      /placeholder must be a string/,
    ],
    [
      'a help text that is no string',
      [fieldOf('a', 'short_text', { helpText: {} })],
      /helpText must be a string/,
    ],
    [
      'an unknown contact field',
      [fieldOf('a', 'short_text', { contactField: 'age' })],
      /contactField must be one of/,
    ],
    [
      'a length as text',
      [fieldOf('a', 'short_text', { maxLength: '5' })],
      /maxLength must be a whole number/,
    ],
    [
      'a negative length',
      [fieldOf('a', 'short_text', { minLength: -1 })],
      /minLength must be a whole number/,
    ],
    ['half a length', [fieldOf('a', 'short_text', { maxLength: 1.5 })], /maxLength must be a whole number/],
    [
      'crossed lengths',
      [fieldOf('a', 'short_text', { minLength: 2, maxLength: 1 })],
      /minLength must not be greater/,
    ],
    ['a number bound as text', [fieldOf('n', 'number', { min: '1' })], /min must be a number/],
    ['a bound that is neither', [fieldOf('n', 'number', { max: true })], /max must be a number/],
    ['crossed numbers', [fieldOf('n', 'number', { min: 2, max: 1 })], /min must not be greater than max/],
    ['a date bound as number', [fieldOf('d', 'date', { min: 2026 })], /min must be a date/],
    ['a date that does not exist', [fieldOf('d', 'date', { max: '2026-02-30' })], /max must be a date/],
    [
      'crossed dates',
      [fieldOf('d', 'date', { min: '2026-02-02', max: '2026-02-01' })],
      /min must not be greater/,
    ],
    ['a choice without options', [fieldOf('c', 'single_choice')], /choice without options/],
    [
      'a choice with null options',
      [fieldOf('c', 'multiple_choice', { options: null })],
      /choice without options/,
    ],
    [
      'a choice with no options',
      [fieldOf('c', 'multiple_choice', { options: [] })],
      /choice without options/,
    ],
    ['options that are no list', [fieldOf('c', 'single_choice', { options: 'x' })], /options must be a list/],
    [
      'an option that is a string',
      [fieldOf('c', 'single_choice', { options: ['x'] })],
      /each option must be an object/,
    ],
    [
      'an option with a number',
      [fieldOf('c', 'single_choice', { options: [{ value: 1, label: '' }] })],
      /value of an option must be a string/,
    ],
    ['an option without label', [fieldOf('c', 'single_choice', { options: [{ value: 'x' }] })], /label/],
    ['a blank option', [fieldOf('c', 'single_choice', { options: optionsOf(' ') })], /must not be blank/],
    ['a repeated option', [fieldOf('c', 'single_choice', { options: optionsOf('x', 'x') })], /same value/],
    ['a rule list', [fieldOf('a', 'short_text', { visibleWhen: [] })], /visibleWhen/],
    [
      'no match',
      [text, fieldOf('t', 'short_text', { visibleWhen: { rules: [{ field: 'a', operator: 'is_empty' }] } })],
      /match/,
    ],
    [
      'another match',
      [
        text,
        fieldOf('t', 'short_text', {
          visibleWhen: { match: 'none', rules: [{ field: 'a', operator: 'is_empty' }] },
        }),
      ],
      /match "all" or "any"/,
    ],
    [
      'no rules',
      [fieldOf('t', 'short_text', { visibleWhen: { match: 'all', rules: [] } })],
      /at least one rule/,
    ],
    ['rules missing', [fieldOf('t', 'short_text', { visibleWhen: { match: 'all' } })], /rules/],
    [
      'a nested group',
      [text, fieldOf('t', 'short_text', { visibleWhen: { match: 'all', rules: [when('a', 'is_empty')] } })],
      /rule/,
    ],
    ['an unknown operator', [text, shownWhen('a', 'matches', 'x')], /unknown operator "matches"/],
    [
      'a missing subject',
      [shownWhen('z', 'equals', 'x')],
      /^Field "t": visibleWhen refers to "z", which is not a field/,
    ],
    [
      'a display-only subject',
      [...subjects, shownWhen('h', 'is_empty')],
      /refers to "h", which takes no answer/,
    ],
    ['a self-reference', [shownWhen('t', 'is_empty')], /^Field "t": visibleWhen refers to the field itself/],
    ['a missing value', [text, shownWhen('a', 'equals')], /"a" by equals without a value/],
    ['a null value', [text, shownWhen('a', 'equals', null)], /without a value/],
    ['an empty value', [text, shownWhen('a', 'equals', '')], /with an empty value/],
    ['a blank value', [text, shownWhen('a', 'contains', '  ')], /does not fit/],
    ['a number for text', [text, shownWhen('a', 'equals', 1)], /does not fit/],
    ['a list for text', [text, shownWhen('a', 'equals', ['x'])], /does not fit/],
    ['greater_than on text', [text, shownWhen('a', 'greater_than', 'x')], /does not take/],
    ['any_of without a list', [text, shownWhen('a', 'any_of', 'x')], /not a list/],
    ['any_of []', [text, shownWhen('a', 'any_of', [])], /empty list/],
    ['any_of with a gap', [text, shownWhen('a', 'none_of', ['x', null])], /does not fit/],
    ['a phone without digits', [phone, shownWhen('p', 'contains', 'abc')], /does not fit/],
    ['text for a number', [number, shownWhen('n', 'equals', 'two')], /does not fit/],
    ['hexadecimal for a number', [number, shownWhen('n', 'less_than', '0x10')], /does not fit/],
    ['contains on a number', [number, shownWhen('n', 'contains', 1)], /does not take/],
    ['a date that does not exist', [date, shownWhen('d', 'less_than', '2026-02-29')], /does not fit/],
    ['contains on a date', [date, shownWhen('d', 'contains', '2026')], /does not take/],
    ['contains on a single choice', [one, shownWhen('one', 'contains', 'x')], /does not take/],
    ['an unknown option', [one, shownWhen('one', 'equals', 'z')], /"z", which is not one of its options/],
    [
      'an unknown option among several',
      [one, shownWhen('one', 'any_of', ['x', 'z'])],
      /"z", which is not one of its options/,
    ],
    ['a set that is no list', [many, shownWhen('many', 'equals', 'x')], /not a list/],
    ['an empty set', [many, shownWhen('many', 'not_equals', [])], /empty list/],
    [
      'a set with an unknown option',
      [many, shownWhen('many', 'equals', ['x', 'z'])],
      /not one of its options/,
    ],
    ['contains with a list', [many, shownWhen('many', 'contains', ['x'])], /not one of its options/],
    ['any_of on a boolean', [flag, shownWhen('f', 'any_of', [true])], /does not take/],
    ['text for a boolean', [flag, shownWhen('f', 'equals', 'true')], /does not fit/],
  ])('%s', (_name, fields, reason) => {
    const reasons = reasonsFor(fields)
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toMatch(reason)
    expect(reasons[0]).toMatch(/\.$/)
  })

  it('names the fields of a cycle and not those that merely depend on it', () => {
    const cyclic = (id: string, on: string): unknown =>
      fieldOf(id, 'short_text', { visibleWhen: when(on, 'is_empty') })
    expect(
      reasonsFor([cyclic('x', 'z'), cyclic('y', 'x'), cyclic('z', 'y'), cyclic('after', 'x'), text]),
    ).toEqual(['The visibility of these fields depends on each other: "x", "y", "z".'])
  })

  it('does not blame rules for a subject that is itself unusable', () => {
    expect(reasonsFor([fieldOf('a', 'file'), shownWhen('a', 'is_empty')])).toHaveLength(1)
  })

  it('lists every reason', () => {
    expect(
      reasonsFor([null, fieldOf('a', 'file'), fieldOf('b', 'number', { required: 1, min: 'x' })]),
    ).toHaveLength(3)
  })

  it('lists at most 50 reasons', () => {
    const wrong = Array.from({ length: 80 }, (_, index) => fieldOf(`f${index}`, 'file'))
    expect(reasonsFor(wrong)).toHaveLength(50)
  })

  it.each([
    [{ requireEmailVerification: true }, /email verification/],
    [{ posEnrollment: true }, /point of sale/],
  ])('%j', (settings, reason) => {
    expect(reasonsFor([], settings)).toEqual([expect.stringMatching(reason)])
    expect(reasonsFor([], { requireEmailVerification: null, posEnrollment: false })).toEqual([])
  })
})
