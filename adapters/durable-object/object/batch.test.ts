import { expect, test, vi } from 'vitest'
import { forgivingRun, type ObjectDatabase } from './batch.ts'

const ANSWER = { columns: [], rows: [], rowsRead: 0, rowsWritten: 0 }

/** A database without indexes, which also lacks the table `gone`. */
function plainDatabase() {
  const run = vi.fn((sql: string) => {
    if (/indexed by/i.test(sql)) throw new Error('no such index: i')
    if (sql.includes('gone')) throw new Error('no such table: gone')
    return ANSWER
  })
  return { run, database: { run } as unknown as ObjectDatabase }
}

test('a statement that names a missing index runs without it, and fails only the first time', () => {
  const { run, database } = plainDatabase()
  const forgiving = forgivingRun(database, () => false)
  const statement = { sql: 'select 1 from t indexed by "i" where a = ?', parameters: [1] }
  for (let time = 0; time < 3; time += 1) expect(forgiving(statement)).toBe(ANSWER)
  const free = 'select 1 from t where a = ?'
  expect(run.mock.calls.map(([sql]) => sql)).toEqual([statement.sql, free, free, free])
})

test('where the schema is exact, the index is asked for each time, because an earlier one may have been without', () => {
  const { run, database } = plainDatabase()
  const named = { sql: 'select 1 from t indexed by i', parameters: [] }
  const exact = forgivingRun(database, () => true)
  for (let time = 0; time < 2; time += 1) expect(exact(named)).toBe(ANSWER)
  const free = 'select 1 from t'
  expect(run.mock.calls.map(([sql]) => sql)).toEqual([named.sql, free, named.sql, free])
})

test('a statement that fails for another reason is not run again', () => {
  const { run, database } = plainDatabase()
  expect(() => forgivingRun(database, () => false)({ sql: 'select 1 from gone', parameters: [] })).toThrow(
    'gone',
  )
  expect(run).toHaveBeenCalledTimes(1)
})
