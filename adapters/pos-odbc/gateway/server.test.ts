import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createStrangers } from './server.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('logs one line a minute about requests that nobody has signed, however many come', () => {
  const lines: unknown[] = []
  const log = {
    info: (event: string, fields: object) => lines.push({ event, ...fields }),
    error: () => expect.unreachable(),
  }
  const strangers = createStrangers(log)
  for (let index = 0; index < 10_000; index += 1) strangers.note('signature_missing')
  strangers.note('not_found')
  expect(lines).toEqual([{ event: 'unsigned_requests', signature_missing: 1 }])
  vi.advanceTimersByTime(60_000)
  expect(lines.at(-1)).toEqual({ event: 'unsigned_requests', signature_missing: 9_999, not_found: 1 })
  vi.advanceTimersByTime(600_000)
  expect(lines).toHaveLength(2)
  strangers.note('signature_wrong')
  expect(lines.at(-1)).toEqual({ event: 'unsigned_requests', signature_wrong: 1 })
})
