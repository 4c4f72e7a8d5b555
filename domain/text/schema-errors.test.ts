import { expect, test } from 'vitest'
import { nearestWord, suggestion } from './schema-errors.ts'

const known = ['requireEmailVerification', 'required', 'options', 'visibleWhen', 'id']

test.each([
  ['requried', 'required'],
  ['REQUIRED', 'required'],
  ['visiblewhen', 'visibleWhen'],
  ['option', 'options'],
  ['di', null],
  ['colour', null],
  ['', null],
  ['x'.repeat(101), null],
])('%j probably means %j', (given, meant) => {
  expect(nearestWord(given, known)).toBe(meant)
})

test('without known words nothing is suggested', () => {
  expect(nearestWord('id', [])).toBeNull()
  expect(suggestion('colour', known)).toBe('')
  expect(suggestion('requried', known)).toBe(' Did you mean required?')
})
