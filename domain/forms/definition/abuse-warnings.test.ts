import { expect, test } from 'vitest'
import { definitionOf } from '../../../test/support/forms.ts'
import { abuseWarnings } from './abuse-warnings.ts'

const weak = /password has fewer than 10/
const texts = /text message after each submission/

test.each([
  [null, null, false, []],
  ['x'.repeat(9), null, false, [weak]],
  ['x'.repeat(10), null, false, []],
  ['😀'.repeat(9), null, false, [weak]],
  [null, null, true, [texts]],
  [null, 3, true, []],
  ['short', undefined, true, [weak, texts]],
])('password %j, limit %j, texts %s', (password, limit, sendsTexts, expected) => {
  const settings = limit === undefined ? {} : { submissionLimitPerContact: limit }
  expect(abuseWarnings(definitionOf([], settings), { password, sendsTexts })).toEqual(
    expected.map((pattern) => expect.stringMatching(pattern) as unknown),
  )
})
