import { expect, test } from 'vitest'
import { readsAlone } from './executor.ts'

const isRead = (...sql: readonly string[]) => readsAlone(sql.map((one) => ({ sql: one, parameters: [] })))

test.each([
  ['select 1', true],
  ['\n  SELECT updated_at from t', true],
  ['with w as (select 1) select * from w', true],
  ['with recursive w (n) as (select 1) select updated_at from w', true],
  ['with w as (select 1) insert into t select * from w', false],
  ['with w as (select 1) update t set n = 1', false],
  ['with w as (select 1)\ndelete from t', false],
  ['WITH w AS (SELECT 1) REPLACE INTO t SELECT * FROM w', false],
  ['insert into t values (1)', false],
  ['pragma user_version', false],
])('%j only reads: %s', (sql, expected) => {
  expect(isRead(sql)).toBe(expected)
})

test('a batch only reads when each of its statements does', () => {
  expect([isRead(), isRead('select 1', 'select 2'), isRead('select 1', 'delete from t')]).toEqual([
    true,
    true,
    false,
  ])
})
