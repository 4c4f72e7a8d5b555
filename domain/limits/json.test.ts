import { expect, test } from 'vitest'
import { holdsMoreValues, LEVELS_MAX, storabilityProblems } from './json.ts'

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

test.each<[string, string | null]>([
  ['{"a":"😀","b":[{"c":1}],"d":null,"e":true}', null],
  ['{"a":"\\t\\n\\u0001"}', null],
  ['{"a":"\\ud800"}', 'a'],
  ['{"a":{"b":["x","\\udc00"]}}', 'a.b.1'],
  ['{"a":{"\\ud800":1}}', 'a.\ufffd'],
  ['{"a":"x\\u0000"}', 'a'],
  ['{"a":{"b":["x","\\u0000"]}}', 'a.b.1'],
  ['{"a":[{"b\\u0000":1}]}', 'a.0.b\u0000'],
  ['{"a":1e400}', 'a'],
  ['{"a":[[-1e999]]}', 'a.0.0'],
  ['{"\\ud800":1}', '\ufffd'],
  ['{"\\u0000":1}', '\u0000'],
])('of %s, what cannot be stored is named', (json, path) => {
  const problems = storabilityProblems(JSON.parse(json) as Record<string, unknown>)
  expect(problems.map(({ path }) => path)).toEqual(path === null ? [] : [path])
})

test('each unstorable text says what is in it', () => {
  expect(storabilityProblems({ a: 'x\0', b: ['\ud800'], ['c\0']: 1 }).map(({ message }) => message)).toEqual([
    'holds the character NUL (U+0000), which cannot be stored. Remove it',
    'holds half a character (a lone surrogate), which cannot be stored. Remove it',
    'has a name that holds the character NUL (U+0000), which cannot be stored. Remove it',
  ])
})

test('values are nested up to a bound, whatever lies beyond it', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  expect(storabilityProblems({ answers: nested(LEVELS_MAX) })).toEqual([])
  for (const levels of [LEVELS_MAX + 1, 200_000])
    expect(storabilityProblems({ answers: nested(levels) })).toEqual([
      {
        path: `answers${'.0'.repeat(LEVELS_MAX)}`,
        message: 'is in lists or objects of more than 500 levels',
      },
    ])
})
