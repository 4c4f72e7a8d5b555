import { expect, it } from 'vitest'
import { fieldOf } from '../../test/support/data/forms/forms.ts'
import { answeredFields, submissionsSheet } from './submissions-sheet.ts'

const submission = (id: string, answers: object, attribution: object = {}) => ({
  submissionId: id,
  submittedAt: '2026-05-01T00:00:00.000Z',
  formId: 'f',
  contact: id === 's-1' ? { contactId: 'c-1' } : null,
  answers: { ...answers },
  attribution: { ...attribution },
})
const fixed = ['submissionId', 'submittedAt', 'formId', 'contactId']

it('has the fields of the form in their order, then those that it has no longer, then the origins', () => {
  const [heads, first, second] = submissionsSheet(
    ['b', 'a'],
    [
      submission('s-1', { a: 0, gone: 'x' }, { utmTerm: 't', gclid: 'g' }),
      submission('s-2', { b: false }, { gclid: 'h' }),
    ],
  )
  expect(heads).toEqual([...fixed, 'b', 'a', 'gone', 'gclid', 'utmTerm'])
  expect(first?.slice(3)).toEqual(['c-1', null, 0, 'x', 'g', 't'])
  expect(second?.slice(4)).toEqual([false, null, null, 'h', null])
})

it('tells a field from the column that has the same name', () => {
  const [heads, row] = submissionsSheet(
    ['formId', 'gclid'],
    [submission('s-1', { formId: 'mine', gclid: 'typed' }, { gclid: 'clicked' })],
  )
  expect(heads).toEqual([...fixed, 'answers.formId', 'answers.gclid', 'gclid'])
  expect(row?.slice(4)).toEqual(['mine', 'typed', 'clicked'])
})

it('has no column for what takes no answer, is not readable or reads as a secret', () => {
  const fields = [fieldOf('a', 'number'), fieldOf('h', 'heading'), null, fieldOf('password', 'short_text')]
  expect(answeredFields({ fields })).toEqual(['a'])
  expect(answeredFields({})).toEqual([])
})
