import { expect, test } from 'vitest'
import { behindSpan, comparedAnew, isReached, parseProgress, STARTED } from './progress.ts'

const TABLES = ['first', 'second'].map((name) => ({
  name,
  key: ['organization_id', 'id'],
  columns: ['organization_id', 'id'],
}))
const START = parseProgress(STARTED)
const middle = { organizationId: 'b', after: ['b', 5] }

test('a pass goes on within a table, to the next table, and to the next pass', () => {
  const inFirst = behindSpan(START, { from: null, to: middle }, TABLES)
  expect(inFirst).toMatchObject({ pass: 'copy', table: 0, from: middle })
  const inSecond = behindSpan(inFirst, { from: middle, to: null }, TABLES)
  expect(inSecond).toMatchObject({ pass: 'copy', table: 1, from: null })
  const comparing = behindSpan(inSecond, { from: null, to: null }, TABLES)
  expect(comparing).toMatchObject({ pass: 'compare', table: 0, from: null })
  const settled = behindSpan({ ...comparing, table: 1 }, { from: null, to: null }, TABLES)
  expect(settled).toMatchObject({ pass: 'settled', from: null })
})

test('comparing again begins with the first row, and counts as a repair', () => {
  const settled = { ...START, pass: 'settled', table: 2, comparedRows: 7, repairs: 3 } as const
  expect(comparedAnew(settled)).toEqual({
    ...START,
    pass: 'compare',
    table: 0,
    comparedRows: 0,
    repairs: 4,
  })
})

test('a pass has reached the rows of the tables before, and those up to its position', () => {
  const here = { ...START, table: 1, from: middle }
  const reached = [
    [0, ['z', 9]],
    [1, ['b', 5]],
    [1, ['b', 6]],
    [2, ['a', 1]],
  ] as const
  expect(reached.map(([table, key]) => isReached(here, table, key))).toEqual([true, true, false, false])
  expect(isReached({ ...here, pass: 'settled' }, 2, ['z', 9])).toBe(true)
})

test.each<[string, object]>([
  ['an unknown pass', { pass: 'checking' }],
  ['a table that is no number', { table: null }],
  ['no sums', { sums: undefined }],
  ['a sum that is no hexadecimal number', { sums: { first: { rows: 1, hash: '-1' } } }],
  ['a position without an organization', { from: { after: null } }],
])('progress of another version, with %s, is refused', (_name, change) => {
  const text = JSON.stringify({ ...START, ...change })
  expect(() => parseProgress(text)).toThrow('does not understand')
})

test('what a later version adds is passed over', () => {
  const text = JSON.stringify({ ...START, from: middle, later: 1 })
  expect(parseProgress(text)).toEqual({ ...START, from: middle })
})
