import { expect, test } from 'vitest'
import { definitionOf } from '../../../test/support/data/forms/forms.ts'
import { abuseWarnings } from './abuse-warnings.ts'

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
