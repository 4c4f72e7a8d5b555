import type { D1Database } from '@cloudflare/workers-types'
import { expect, test, vi } from 'vitest'
import { createMeter } from '../sqlite/index.ts'
import { createExecutor } from './executor.ts'

const clock = { nowMs: () => 0 }
const one = [{ sql: 'select 1', parameters: [] }]

const two = [...one, { sql: 'select 2', parameters: [] }]

/** A database whose calls fail with these errors, one after another, and then succeed. */
function failing(...errors: readonly Error[]) {
  const left = [...errors]
  const call = vi.fn(async () => {
    const error = left.shift()
    if (error !== undefined) throw error
    return { results: [], meta: { changes: 1, rows_read: 3, rows_written: 2 } }
  })
  const batch = async (statements: readonly unknown[]) => {
    const answer = await call()
    return statements.map(() => answer)
  }
  const database = { batch, prepare: () => ({ bind: () => ({ all: call }) }) } as unknown as D1Database
  return { database, call }
}

test.each([one, two])(
  'a batch that met a lock is tried again, and every attempt is counted',
  async (...batch) => {
    const { database, call } = failing(
      new Error('D1_ERROR: database is locked: SQLITE_BUSY'),
      new Error('D1_ERROR: Failed to get session commit token: internal error; reference = abc'),
    )
    const meter = createMeter()
    const results = await createExecutor({ database, clock, meter }).batch(batch)
    expect(results).toEqual(batch.map(() => ({ rows: [], changes: 1, rowsRead: 3, rowsWritten: 2 })))
    expect(call).toHaveBeenCalledTimes(3)
    expect(meter).toEqual({ calls: 3, rowsRead: 3 * batch.length, rowsWritten: 2 * batch.length })
  },
)

test('attempts are bounded, and the last error is thrown', async () => {
  vi.useFakeTimers()
  const { database, call } = failing(
    ...Array.from({ length: 34 }, (_, index) => new Error(`SQLITE_BUSY ${index}`)),
  )
  const attempts = expect(
    createExecutor({ database, clock, meter: createMeter() }).batch(one),
  ).rejects.toThrow('SQLITE_BUSY 29')
  await vi.runAllTimersAsync()
  await attempts
  expect(call).toHaveBeenCalledTimes(30)
  vi.useRealTimers()
})

test.each([
  'D1_ERROR: Network connection lost.',
  'UNIQUE constraint failed: forms.form_id',
  'internal error',
])('a failure that may follow a commit is not tried again: %s', async (message) => {
  const { database, call } = failing(new Error(message))
  await expect(createExecutor({ database, clock, meter: createMeter() }).batch(one)).rejects.toThrow(message)
  expect(call).toHaveBeenCalledTimes(1)
})

test('a batch without statements does nothing: D1 refuses it', async () => {
  const { database, call } = failing(new Error('D1_ERROR: No SQL statements detected.'))
  const meter = createMeter()
  await expect(createExecutor({ database, clock, meter }).batch([])).resolves.toEqual([])
  expect(call).not.toHaveBeenCalled()
  expect(meter.calls).toBe(0)
})

test('answers that do not belong to the statements are an error, and nobody reads them', async () => {
  const answer = { results: [], meta: { changes: 0, rows_read: 0, rows_written: 0 } }
  const batch = vi.fn(async () => [answer])
  const database = { batch, prepare: () => ({ bind: () => ({}) }) } as unknown as D1Database
  const asked = createExecutor({ database, clock, meter: createMeter() }).batch(two)
  await expect(asked).rejects.toThrow('D1 answered another number of statements')
})
