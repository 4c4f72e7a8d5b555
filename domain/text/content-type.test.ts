import { expect, it } from 'vitest'
import { acceptNames } from './content-type.ts'

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
