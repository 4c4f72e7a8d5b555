import { expect, test } from 'vitest'
import { thrownAt } from './terminal.ts'

test('the place of an error is the first line after its message', () => {
  expect(thrownAt(new TypeError('odd'))).toMatch(/terminal\.test\.ts:\d+:\d+/)
  expect(thrownAt(new Error(''))).toContain('terminal.test.ts')
})

test('no line of a message is taken for a place, even when the message was changed later', () => {
  const error = new Error('a row:\n    at home\n')
  expect(thrownAt(error)).toContain('terminal.test.ts')
  const quoting = new Error('a row:\n    at home\nof somebody')
  quoting.message = 'changed'
  expect(thrownAt(quoting)).toContain('terminal.test.ts')
})

test('the place of an error without a stack is unknown', () => {
  const error = new Error('a row:\n    at home')
  for (const stack of ['', 'Error: a row:\n    at home', 'Error']) {
    error.stack = stack
    expect(thrownAt(error)).toBe('')
  }
})
