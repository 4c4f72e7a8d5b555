import { expect, test } from 'vitest'
import { storabilityIssues } from './storable.ts'

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
