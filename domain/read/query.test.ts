import { expect, test } from 'vitest'
import { readLimit } from './query.ts'

test.each([
  [[], 100],
  [[''], 100],
  [['0'], 100],
  [['-1'], 100],
  [['abc'], 100],
  [['1.5'], 100],
  [['1e2'], 100],
  [[' 5'], 100],
  [['5', '6'], 100],
  [['99999999999999999999'], 500],
  [['9'.repeat(400)], 500],
  [['1'], 1],
  [['007'], 7],
  [['500'], 500],
  [['501'], 500],
])('limit %j of a collection of at most 500 is %i', (given, used) => {
  expect(readLimit(given, 500)).toBe(used)
})

test('a collection of at most 100 caps 101', () => {
  expect(readLimit(['101'], 100)).toBe(100)
})
