import { expect, it } from 'vitest'
import { contentTypeOf } from '../../text/content-type.ts'
import { wantsPage } from './negotiate.ts'

const form = 'application/x-www-form-urlencoded'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

it.each<[string | null, string | null, boolean]>([
  [form, browser, true],
  ['multipart/form-data; boundary=b', browser, true],
  [form, 'text/html', true],
  [form, 'text/html, application/json;q=0', true],
  [null, browser, true],
  // The type is not understood, so it does not count as JSON.
  ['text/plain', browser, true],
  ['application/ld+json', browser, true],
  ['application/json; a=1; a=2', browser, true],
  ['application/json', browser, false],
  ['Application/JSON; charset=utf-8', browser, false],
  // JSON with a charset that is refused still counts as JSON.
  ['application/json; charset=latin1', browser, false],
  [form, 'text/html, application/json', false],
  [form, 'application/json;q=0.1, text/html', false],
  [form, '*/*', false],
  [form, 'text/*', false],
  [form, null, false],
])('content type %s, accept %s: %s', (type, accept, expected) => {
  const headers = new Headers()
  if (type !== null) headers.set('content-type', type)
  if (accept !== null) headers.set('accept', accept)
  expect(wantsPage(contentTypeOf(headers), headers)).toBe(expected)
})
