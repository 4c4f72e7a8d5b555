import { expect, test } from 'vitest'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import type { ReasonCounts } from '../../ports/sources.ts'
import { askPatiently } from './cancellation-survey.ts'

const range = { start: null, end: null }
const failure: ReasonCounts = { kind: 'unavailable', reason: 'The source is busy.' }
const counts = [{ code: 'moved', count: 1 }]
const success: ReasonCounts = { kind: 'counts', counts }

/** How long an attempt takes and how it ends; `never` ends only when it is aborted. */
interface Try {
  readonly takesMs: number
  /** Time that passes before any timer can fire. */
  readonly blocksMs?: number
  readonly answer: ReasonCounts | 'never' | 'rejects'
}

/** Runs the attempts in virtual time, which passes only while something waits for it. */
async function ask(tries: readonly Try[], draw = 0) {
  const clock = fakeClock()
  const startedMs = clock.nowMs()
  const timers: { readonly atMs: number; fire(): void }[] = []
  const later = (durationMs: number, fire: () => void) =>
    timers.push({ atMs: clock.nowMs() + durationMs, fire })
  const lines: string[] = []
  const causes: unknown[] = []
  const begunMs: number[] = []
  const signals: AbortSignal[] = []
  const survey = {
    countReasons: (_: unknown, signal: AbortSignal) => {
      const { takesMs, blocksMs = 0, answer } = tries[begunMs.length] ?? { takesMs: 0, answer: failure }
      begunMs.push(clock.nowMs() - startedMs)
      signals.push(signal)
      clock.advance(blocksMs)
      return new Promise<ReasonCounts>((resolve, reject) => {
        if (answer === 'never') return
        later(takesMs, () => {
          if (answer === 'rejects') reject(new Error('acme'))
          else resolve(answer)
        })
      })
    },
  }
  const patience = {
    clock,
    deadline: {
      after: (durationMs: number) => {
        const controller = new AbortController()
        later(durationMs, () => {
          controller.abort()
        })
        return controller.signal
      },
    },
    random: { bytes: (length: number) => new Uint8Array(length).fill(draw) },
    log: {
      info: (event: string, fields: object) => void lines.push(JSON.stringify({ event, ...fields })),
      error: (event: string, fields: object, cause?: unknown) => {
        lines.push(JSON.stringify({ event, ...fields }))
        causes.push(cause)
      },
    },
  }
  let outcome: unknown
  let isOver = false
  const asked = askPatiently(survey, range, 'req_1', patience).then((found) => {
    outcome = found
    isOver = true
  })
  for (;;) {
    // Lets all work that the last timer started finish before the next timer fires.
    await new Promise((resume) => setImmediate(resume))
    if (isOver as boolean) break
    timers.sort((left, right) => left.atMs - right.atMs)
    const next = timers.shift()
    if (next === undefined) throw new Error('It waits for nothing')
    clock.advance(Math.max(0, next.atMs - clock.nowMs()))
    next.fire()
  }
  await asked
  return { outcome, begunMs, lines, causes, signals, tookMs: clock.nowMs() - startedMs }
}

test('an answer at once is the only try, and nothing is logged', async () => {
  const { outcome, begunMs, lines } = await ask([{ takesMs: 30, answer: success }])
  expect([outcome, begunMs, lines]).toEqual([counts, [0], []])
})

test('two failures are followed by a third try, with doubling pauses', async () => {
  const failed = { takesMs: 10, answer: failure }
  const { outcome, begunMs, lines } = await ask([failed, failed, { takesMs: 10, answer: success }])
  expect([outcome, begunMs]).toEqual([counts, [0, 210, 620]])
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    'exit_survey_retry',
    'exit_survey_retry',
  ])
})

test('the pauses are up to half shorter, as drawn', async () => {
  const { begunMs } = await ask([], 255)
  expect(begunMs).toEqual([0, 100, 300])
})

test('after three failures it is over, and the log says so once, with the request and the reason', async () => {
  const { outcome, begunMs, lines } = await ask([])
  expect([outcome, begunMs.length]).toEqual([null, 3])
  expect(lines.at(-1)).toBe(
    '{"event":"exit_survey_unavailable","requestId":"req_1","tries":3,"reason":"The source is busy."}',
  )
})

test('a source that never answers is given up, try by try and as a whole', async () => {
  const never = { takesMs: 0, answer: 'never' } as const
  const { outcome, begunMs, lines, signals, tookMs } = await ask([never, never, never])
  expect(outcome).toBeNull()
  expect(begunMs).toEqual([0, 4200, 8600])
  // The third try has only what is left of the nine seconds.
  expect(tookMs).toBe(9000)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
  expect(lines.at(-1)).toContain('did not answer in time')
})

test('a source that breaks its promise and rejects is as one that fails; its error is not shown', async () => {
  const { outcome, lines } = await ask([
    { takesMs: 1, answer: 'rejects' },
    { takesMs: 1, answer: success },
  ])
  expect(outcome).toEqual(counts)
  expect(lines.join()).not.toContain('acme')
})

test('what the source rejects with at last goes to the log as the cause', async () => {
  const rejects = { takesMs: 1, answer: 'rejects' } as const
  const { outcome, causes } = await ask([rejects, rejects, rejects])
  expect([outcome, causes]).toEqual([null, [new Error('acme')]])
})

test('no try begins when its pause would end after the limit', async () => {
  const { outcome, begunMs, lines } = await ask([{ takesMs: 0, blocksMs: 8900, answer: failure }])
  expect([outcome, begunMs]).toEqual([null, [0]])
  expect(lines.at(-1)).toContain('"tries":1')
})
