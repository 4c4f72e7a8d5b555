import { expect, test } from 'vitest'
import type { StoredValue } from '../../ports/placement.ts'
import type { ArchivedColumn } from '../../ports/organization-store.ts'
import { WITHHELD, membersOfRow, rowOfMembers } from './archive.ts'

const column = (field: string, given: Partial<ArchivedColumn> = {}): ArchivedColumn => ({
  ...{ field, type: 'text', holds: 'value', isNullable: true, isSecret: false },
  ...given,
})
const columns = [
  column('name'),
  column('count', { type: 'integer' }),
  column('ratio', { type: 'real' }),
  column('isOpen', { type: 'integer', holds: 'truth' }),
  column('isPaid', { type: 'integer', holds: 'truth' }),
  column('tags', { holds: 'document' }),
  column('hash', { isSecret: true }),
]

test('an archived row has what people would write, without secrets unless they are asked for', () => {
  const row: StoredValue[] = ['Zoë', 3, 1.5, 1, 0, '["a"]', 'h']
  const shown = { name: 'Zoë', count: 3, ratio: 1.5, isOpen: true, isPaid: false, tags: ['a'] }
  expect(membersOfRow(row, columns, true)).toEqual({ ...shown, hash: 'h' })
  expect(membersOfRow(row, columns, false)).toEqual({ ...shown, hash: WITHHELD })
  expect(membersOfRow(Array(7).fill(null), columns, false)).toEqual(
    Object.fromEntries(columns.map(({ field }) => [field, null])),
  )
})

test.each<[string, StoredValue[]]>([
  ['values', ['', -1, -0.5, 0, 1, '{"b":1,"a":[null]}', 'h']],
  ['nulls', [null, null, null, null, null, null, null]],
  [
    'a document with spaces, and a whole number in a column of fractions',
    ['x', 0, 2, 1, 1, '{ "a": 1 }', ''],
  ],
  ['documents that are no objects', ['null', 1, 1, 1, 1, 'null', 'x']],
])('an archived row is read back as it was stored: %s', (_, row) => {
  const line = JSON.parse(JSON.stringify(membersOfRow(row, columns, true))) as unknown
  expect(rowOfMembers(line, columns)).toEqual({ row })
})

const whole = { name: 'n', count: 1, ratio: 1, isOpen: true, isPaid: true, tags: [], hash: 'h' }

test.each<[string, unknown]>([
  ['name', 1],
  ['count', '1'],
  ['count', 1.5],
  ['count', 2 ** 53],
  ['count', true],
  ['ratio', '1'],
  ['isOpen', 1],
  ['tags', 'no document'],
  ['tags', 5],
  ['hash', undefined],
])('a row whose %s is %j is refused by that name', (field, value) => {
  expect(rowOfMembers({ ...whole, [field]: value }, columns)).toEqual({
    problem: `has no valid value for ${field}`,
  })
})

test('a row may have null only where its column may, and no other fields', () => {
  const strict = columns.map((each) => ({ ...each, isNullable: each.field !== 'count' }))
  expect(rowOfMembers({ ...whole, name: null }, strict)).toHaveProperty('row')
  expect(rowOfMembers({ ...whole, count: null }, strict)).toEqual({ problem: 'has no valid value for count' })
  expect(rowOfMembers({ ...whole, other: 1 }, columns)).toEqual({
    problem: 'has a field other that the manifest does not name',
  })
})
