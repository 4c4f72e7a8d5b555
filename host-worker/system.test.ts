import { expect, test } from 'vitest'
import { lineLog } from './system.ts'

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
