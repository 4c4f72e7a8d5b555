import { expect, it } from 'vitest'
import { fieldOf } from '../../test/support/data/forms/forms.ts'
import { answerLines, shownFields, submissionsSheet } from './shown-answers.ts'

const submission = (id: string, answers: object, attribution: object = {}) => ({
  submissionId: id,
  submittedAt: '2026-05-01T00:00:00.000Z',
  formId: 'f',
  contact: id === 's-1' ? { contactId: 'c-1' } : null,
  answers: { ...answers },
  attribution: { ...attribution },
})
const fixed = ['submissionId', 'submittedAt', 'formId', 'contactId']

const text = (id: string, label = id) => ({ ...(fieldOf(id, 'short_text') as object), label })
const ids = { isLabelled: false }
const labels = { isLabelled: true }

it('has the fields of the form in their order, then those that it has no longer, then the origins', () => {
  const [heads, first, second] = submissionsSheet(
    [
      submission('s-1', { a: 0, gone: 'x' }, { utmTerm: 't', gclid: 'g' }),
      submission('s-2', { b: false }, { gclid: 'h' }),
    ],
    new Map([['f', shownFields([text('b', 'Bee'), text('a', 'Ay')])]]),
    ids,
  )
  expect(heads).toEqual([...fixed, 'b', 'a', 'gone', 'gclid', 'utmTerm'])
  expect(first?.slice(3)).toEqual(['c-1', null, 0, 'x', 'g', 't'])
  expect(second?.slice(4)).toEqual([false, null, null, 'h', null])
})

it('tells a field from the column that has the same name', () => {
  const [heads, row] = submissionsSheet(
    [submission('s-1', { formId: 'mine', gclid: 'typed' }, { gclid: 'clicked' })],
    new Map([['f', shownFields([text('formId'), text('gclid')])]]),
    ids,
  )
  expect(heads).toEqual([...fixed, 'answers.formId', 'answers.gclid', 'gclid'])
  expect(row?.slice(4)).toEqual(['mine', 'typed', 'clicked'])
})

it('has what was sent besides apart, whatever it is called', () => {
  const [heads, ...rows] = submissionsSheet(
    [
      { ...submission('s-1', { a: 'x', 'extra.a': 'y' }, { gclid: 'g' }), extra: { a: 'z', formId: '1' } },
      { ...submission('s-2', {}), extra: { constructor: 'own' } },
      submission('s-3', { a: 'w' }),
    ],
    new Map([['f', shownFields([text('a'), text('extra.a')])]]),
    labels,
  )
  const extra = ['extra.a', 'extra.formId', 'extra.constructor']
  expect(heads).toEqual([...fixed, 'a', 'answers.extra.a', ...extra, 'gclid'])
  expect(rows.map((row) => row.slice(4))).toEqual([
    ['x', 'y', 'z', '1', null, 'g'],
    [null, null, null, null, 'own', null],
    ['w', null, null, null, null, null],
  ])
})

const options = [
  { value: 'wash', label: 'Car wash' },
  { value: 'other', label: 'Something else' },
]
const fields = [
  { ...(fieldOf('services', 'multiple_choice') as object), label: 'What do you need?', options },
  { ...(fieldOf('terms', 'consent') as object), label: 'I agree' },
  text('first', 'Name'),
  text('last', 'Name'),
  text('plain', ''),
  text('seats', 'formId'),
]

it('has the words of the form with labels, and the value where the form has the field no longer', () => {
  const [heads, row] = submissionsSheet(
    [
      submission('s-1', {
        ...{ services: ['other', 'gone'], terms: true, first: 'Ada', last: 'L', plain: 'wash', seats: 4 },
        ...{ old: ['wash', false], Name: 'by id' },
      }),
    ],
    new Map([['f', shownFields(fields)]]),
    labels,
  )
  const own = ['What do you need?', 'I agree', 'Name (first)', 'Name (last)', 'plain', 'answers.formId']
  expect(heads).toEqual([...fixed, ...own, 'old', 'Name'])
  expect(row?.slice(4)).toEqual([
    ...[['Something else', 'gone'], 'Yes', 'Ada', 'L', 'wash', 4],
    ...[['wash', 'No'], 'by id'],
  ])
})

it('shares a column among forms that call a field the same, and never among two fields of one submission', () => {
  const of = (formId: string, answers: object) => ({ ...submission('s-2', answers), formId })
  const [heads, ...rows] = submissionsSheet(
    [of('f', { name: 'Ada', Full: 'old' }), of('g', { fullName: 'Bob' }), of('unknown', { name: true })],
    new Map([
      ['f', shownFields([text('name', 'Full')])],
      ['g', shownFields([text('fullName', 'Full')])],
    ]),
    labels,
  )
  expect(heads).toEqual([...fixed, 'Full', 'answers.Full', 'name'])
  expect(rows.map((row) => row.slice(4))).toEqual([
    ['Ada', 'old', null],
    ['Bob', null, null],
    [null, null, 'Yes'],
  ])
})

it('has no column for what takes no answer, is not readable or reads as a secret', () => {
  const saved = [fieldOf('a', 'number'), fieldOf('h', 'heading'), null, fieldOf('password', 'short_text')]
  expect(shownFields(saved).map(({ id }) => id)).toEqual(['a'])
  expect(shownFields(undefined)).toEqual([])
})

it('shows answers as lines in the order and the words of the form', () => {
  const answers = { gone: { a: [1] }, terms: false, services: ['wash', 'other'], password: 'x', plain: null }
  expect(answerLines(answers, shownFields(fields))).toEqual([
    { id: 'services', label: 'What do you need?', value: 'Car wash, Something else' },
    { id: 'terms', label: 'I agree', value: 'No' },
    { id: 'plain', label: 'plain', value: '' },
    { id: 'gone', label: 'gone', value: '{"a":[1]}' },
  ])
})
