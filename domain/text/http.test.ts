import { expect, test } from 'vitest'
import { strongTags, isLoopbackHost } from './http.ts'

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

test.each([
  'localhost',
  'LocalHost:8787',
  'localhost:',
  '127.0.0.1',
  '127.0.0.1:8787',
  '127.255.0.9',
  '[::1]',
  '[::1]:8787',
])('the host %j is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

test.each([
  null,
  undefined,
  '',
  ':8787',
  'example.com',
  'localhost.example.com',
  'localhost.',
  'a.localhost',
  '127.0.0.1.example.com',
  '127.0.0.1:8787.example.com',
  '127.0.0.1.',
  '127.0.0.256',
  '127.1',
  '0x7f.0.0.1',
  '2130706433',
  '0.0.0.0',
  '::1',
  '[::1',
  '[::]',
  '[::ffff:127.0.0.1]',
  'evil@localhost',
  'localhost/x',
  'localhost, example.com',
  'localhost:8787:1',
  'localhost:x',
  'localhost\n',
  ' localhost',
])('the host %j may be another machine', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})
