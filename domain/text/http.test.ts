import { expect, test, it } from 'vitest'
import { strongTags, isLoopbackHost, acceptNames } from './http.ts'

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

it.each<[string | null, boolean]>([
  ['text/html', true],
  ['TEXT/HTML', true],
  ['text/html;q=0.1', true],
  ['text/html; charset=utf-8; q=1', true],
  ['application/xml,text/html;level=1', true],
  [' text/html ;q=0.001', true],
  ['text/html;q=0, text/html;level=1', true],
  ['text/html;x="a,b;q=0"', true],
  ['text/html;x="\\";q=0,"', true],
  ['text/html;q=abc', true],
  [null, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['text/html;q=0', false],
  ['text/html; Q = 0.000', false],
  ['text/htmlx', false],
  ['application/xhtml+xml', false],
  ['x/y;a="text/html"', false],
  ['x/y;a="b, text/html', false],
  ['x/y;a=",text/html"', false],
])('Accept: %s', (header, expected) => {
  expect(acceptNames(header, 'text/html')).toBe(expected)
})
