import { expect, test } from 'vitest'
import { LEVELS_MAX, storabilityIssues } from './storable.ts'

test.each<[string, string | null]>([
  ['{"a":"😀","b":[{"c":1}],"d":null,"e":true}', null],
  ['{"a":"\\ud800"}', 'a'],
  ['{"a":{"b":["x","\\udc00"]}}', 'a'],
  ['{"a":{"\\ud800":1}}', 'a'],
  ['{"a":1e400}', 'a'],
  ['{"a":[[-1e999]]}', 'a'],
  ['{"\\ud800":1}', '\ufffd'],
])('%s', (json, field) => {
  const issues = storabilityIssues(JSON.parse(json) as Record<string, unknown>)
  expect(issues.map((issue) => issue.field)).toEqual(field === null ? [] : [field])
})

test('values are nested up to a bound, whatever lies beyond it', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  expect(storabilityIssues({ answers: nested(LEVELS_MAX) })).toEqual([])
  for (const levels of [LEVELS_MAX + 1, 200_000])
    expect(storabilityIssues({ answers: nested(levels) })).toEqual([
      { field: 'answers', message: 'holds lists or objects of more than 500 levels' },
    ])
})
