import { expect, test } from 'vitest'
import { strongTags } from './etag.ts'

test.each([
  ['"a"', ['"a"']],
  ['  "a" ,\t"b"', ['"a"', '"b"']],
  ['"a,b","c\\d"', ['"a,b"', '"c\\d"']],
  ['"" , , "a",', ['""', '"a"']],
  ['', []],
  [',', []],
  ['*', '*'],
  [' * ', '*'],
  ['W/"a"', []],
  ['W/"a", "b"', ['"b"']],
  ['"*"', ['"*"']],
])('of %j, these tags can match: %j', (header, tags) => {
  expect(strongTags(header)).toEqual(tags)
})

test.each([
  'a',
  '"a',
  'a"',
  '"a" "b"',
  '"a" b',
  '*, "a"',
  '"a", *',
  'w/"a"',
  'W/',
  'W/a',
  'W/ "a"',
  '"a b"',
  '"a"b',
])('%j is malformed', (header) => {
  expect(strongTags(header)).toBeNull()
})
