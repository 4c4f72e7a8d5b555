import { expect, test } from 'vitest'
import { LEVELS_MAX, storabilityIssues } from './storable.ts'

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
])('%s', (json, field) => {
  const issues = storabilityIssues(JSON.parse(json) as Record<string, unknown>)
  expect(issues.map((issue) => issue.field)).toEqual(field === null ? [] : [field])
})

test('each unstorable text says what is in it', () => {
  expect(storabilityIssues({ a: 'x\0', b: ['\ud800'], ['c\0']: 1 }).map(({ message }) => message)).toEqual([
    'holds the character NUL (U+0000), which cannot be stored. Remove it',
    'holds half a character (a lone surrogate), which cannot be stored. Remove it',
    'has a name that holds the character NUL (U+0000), which cannot be stored. Remove it',
  ])
})

test('values are nested up to a bound, whatever lies beyond it', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  expect(storabilityIssues({ answers: nested(LEVELS_MAX) })).toEqual([])
  for (const levels of [LEVELS_MAX + 1, 200_000])
    expect(storabilityIssues({ answers: nested(levels) })).toEqual([
      {
        field: `answers${'.0'.repeat(LEVELS_MAX)}`,
        message: 'is in lists or objects of more than 500 levels',
      },
    ])
})
