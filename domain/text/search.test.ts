import { expect, test } from 'vitest'
import { folded, mentions } from './search.ts'

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
