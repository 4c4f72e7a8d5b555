import { expect, test } from 'vitest'
import { cutText } from './cut-text.ts'

test.each([
  ['abc', 5, 'abc'],
  ['abc', 2, 'ab'],
  ['abc', 0, ''],
  ['a\u{1f600}b', 3, 'a\u{1f600}'],
  ['a\u{1f600}b', 2, 'a'],
  ['\u{1f600}', 1, ''],
  // A lone surrogate is one unit, so it cannot be split, wherever it is in the text.
  ['\ud800bcd', 9, '\ud800bcd'],
  ['\ud800bcd', 3, '\ud800bc'],
  ['a\udc00', 1, 'a'],
])('%j cut to %i units is %j', (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut)
})
