import { expect, test } from 'vitest'
import { lineLog, systemRandom } from './system.ts'

function linesOf(cause: unknown): Readonly<Record<string, unknown>> {
  const lines: string[] = []
  lineLog((_level, line) => lines.push(line)).error('broke', { requestId: 'req_1' }, cause)
  return JSON.parse(lines.join()) as Readonly<Record<string, unknown>>
}

test('an error is logged by its kind and place and those of what caused it, never by its message', () => {
  const inner = new TypeError('a secret')
  const line = linesOf(new Error('another secret', { cause: inner }))
  const here = expect.stringContaining('system.test.ts') as string
  expect(line).toEqual({
    level: 'error',
    event: 'broke',
    requestId: 'req_1',
    errorName: 'Error',
    errorAt: here,
    causeName: 'TypeError',
    causeAt: here,
  })
  expect(linesOf('a secret')).toEqual({ level: 'error', event: 'broke', requestId: 'req_1' })
})

test('random bytes come in any length, are never given twice, and belong to whoever got them', () => {
  const portions = Array.from({ length: 200 }, (_, index) => systemRandom.bytes(16 + (index % 7)))
  expect(portions.map(({ length }) => length)).toEqual(portions.map((_, index) => 16 + (index % 7)))
  const texts = new Set(portions.map((portion) => portion.slice(0, 16).join()))
  expect(texts.size).toBe(portions.length)
  expect(systemRandom.bytes(5_000)).toHaveLength(5_000)
  const kept = systemRandom.bytes(16)
  const before = kept.join()
  systemRandom.bytes(16).fill(0)
  expect(kept.join()).toBe(before)
})
