import { expect, test } from 'vitest'
import { holdsMoreValues } from './json-body.ts'

test.each<[unknown, number]>([
  [0, 1],
  ['[{,"\\', 1],
  ['\\\\"', 1],
  [{ 'a,"[{': '\\' }, 2],
  [[1, 2, 3], 4],
  [[[], {}], 5],
  [{ a: ',,,,', b: ['[', '{', '"'] }, 6],
])('%j holds %i', (value, count) => {
  const json = JSON.stringify(value)
  expect([holdsMoreValues(json, count - 1), holdsMoreValues(json, count)]).toEqual([true, false])
})

test('text that never ends its strings is read through once', () => {
  for (const odd of ['"', '"\\', '\\"', '"'.repeat(3), `"${'\\'.repeat(3_000_000)}`, '"\\'.repeat(1_500_000)])
    expect(holdsMoreValues(odd, 1)).toBe(false)
})
