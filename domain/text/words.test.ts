import { expect, test } from 'vitest'
import { folded, mentions, titleOf } from './words.ts'

test.each([
  ['short_text', 'Short text'],
  ['smsConsent', 'SMS consent'],
  ['publicUrl', 'Public URL'],
  ['_utm_source', 'UTM source'],
  ['contact-lists', 'Contact lists'],
  ['mmsNumber2Of', 'MMS number2 of'],
  ['positions', 'Positions'],
  ['', ''],
])('the name %s is “%s” for people', (name, title) => {
  expect(titleOf(name)).toBe(title)
})

test.each([
  ['Sunday', 'SUN', true],
  ['Sunday', 'day', true],
  ['MÜLLER', 'müller', false],
  ['Müller', 'müLLER', true],
  [['a', { b: ['Deep'] }], 'deep', true],
  [{ name: 'x' }, 'name', false],
  [{ n: 12.5 }, '2.5', true],
  [{ n: -3 }, '-3', true],
  [true, 'true', false],
  [null, 'null', false],
  ['a%b', '%', true],
  ['', 'a', false],
])('%j mentions %j: %j', (value, sought, isFound) => {
  expect(mentions(value, folded(sought))).toBe(isFound)
})
