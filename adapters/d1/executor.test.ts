import type { D1Database } from '@cloudflare/workers-types'
import { expect, test, vi } from 'vitest'
import { createMeter } from '../sqlite/index.ts'
import { createExecutor } from './executor.ts'

const clock = { nowMs: () => 0 }
const one = [{ sql: 'select 1', parameters: [] }]

/** A database whose batches fail with these errors, one after another, and then succeed. */
function failing(...errors: readonly Error[]) {
  const left = [...errors]
  const batch = vi.fn(async () => {
    const error = left.shift()
    if (error !== undefined) throw error
    return [{ results: [], meta: { rows_read: 3, rows_written: 2 } }]
  })
  const database = { batch, prepare: () => ({ bind: () => ({}) }) } as unknown as D1Database
  return { database, batch }
}

test('a batch that met a lock is tried again, and every attempt is counted', async () => {
  const { database, batch } = failing(
    new Error('D1_ERROR: database is locked: SQLITE_BUSY'),
    new Error('D1_ERROR: Failed to get session commit token: internal error; reference = abc'),
  )
  const meter = createMeter()
  await expect(createExecutor({ database, clock, meter }).batch(one)).resolves.toHaveLength(1)
  expect(batch).toHaveBeenCalledTimes(3)
  expect(meter).toEqual({ calls: 3, rowsRead: 3, rowsWritten: 2 })
})

test('attempts are bounded, and the last error is thrown', async () => {
  vi.useFakeTimers()
  const { database, batch } = failing(
    ...Array.from({ length: 34 }, (_, index) => new Error(`SQLITE_BUSY ${index}`)),
  )
  const attempts = expect(
    createExecutor({ database, clock, meter: createMeter() }).batch(one),
  ).rejects.toThrow('SQLITE_BUSY 29')
  await vi.runAllTimersAsync()
  await attempts
  expect(batch).toHaveBeenCalledTimes(30)
  vi.useRealTimers()
})

test.each([
  'D1_ERROR: Network connection lost.',
  'UNIQUE constraint failed: forms.form_id',
  'internal error',
])('a failure that may follow a commit is not tried again: %s', async (message) => {
  const { database, batch } = failing(new Error(message))
  await expect(createExecutor({ database, clock, meter: createMeter() }).batch(one)).rejects.toThrow(message)
  expect(batch).toHaveBeenCalledTimes(1)
})

test('a batch without statements does nothing: D1 refuses it', async () => {
  const { database, batch } = failing(new Error('D1_ERROR: No SQL statements detected.'))
  const meter = createMeter()
  await expect(createExecutor({ database, clock, meter }).batch([])).resolves.toEqual([])
  expect(batch).not.toHaveBeenCalled()
  expect(meter.calls).toBe(0)
})
