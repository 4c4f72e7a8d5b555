import { expect, test } from 'vitest'
import type { SendResult } from '../../ports/messaging.ts'
import { virtualTime } from '../../test/support/runner/virtual-time.ts'
import { handOver, type Pace } from './send-to-all.ts'
import { throttled, unavailable } from './send-results.ts'

const accepted: SendResult = { kind: 'accepted', providerId: 'id-1' }
const lost = unavailable('The provider did not answer.')
const refused: SendResult = { kind: 'refused', reason: 'Refused.' }
const unnamed: SendResult = { kind: 'accepted', providerId: null }

/** Hands one message over to a provider that gives these answers in turn and then repeats the last one. */
async function handedOver(answers: readonly SendResult[], isRepeatable = true, durationMs = 60_000) {
  const time = virtualTime()
  const startMs = time.clock.nowMs()
  const pace: Pace = { endMs: startMs + durationMs, notBeforeMs: 0 }
  const triedAtMs: number[] = []
  const send = async () => {
    triedAtMs.push(time.clock.nowMs() - startMs)
    return answers[Math.min(triedAtMs.length, answers.length) - 1] ?? accepted
  }
  const log = { info: () => undefined, error: () => undefined }
  const fate = await time.run(handOver({ sendId: 'snd_1', send, isRepeatable }, pace, { ...time, log }))
  return { fate, triedAtMs }
}

test('what is accepted or refused is settled at once', async () => {
  expect(await handedOver([accepted])).toEqual({ fate: accepted, triedAtMs: [0] })
  expect(await handedOver([refused])).toEqual({
    fate: { kind: 'failed', error: 'Refused.' },
    triedAtMs: [0],
  })
})

test('patience that is asked for is given, within the time of the request', async () => {
  const asked = throttled('Patience.', 7_000)
  expect(await handedOver([asked, asked, accepted])).toEqual({
    fate: accepted,
    triedAtMs: [0, 7_000, 14_000],
  })
  const { fate, triedAtMs } = await handedOver([asked])
  expect(triedAtMs.at(-1)).toBe(56_000)
  expect(fate).toEqual({ kind: 'failed', error: 'Patience. Not sent.' })
  expect(await handedOver([throttled('Patience.', 3_600_000)])).toEqual({
    fate: { kind: 'failed', error: 'Patience. Not sent.' },
    triedAtMs: [0],
  })
})

test('a provider that asks for no pause at all is asked once a second', async () => {
  const { triedAtMs } = await handedOver([throttled('Patience.', 0)], true, 5_000)
  expect(triedAtMs).toEqual([0, 1_000, 2_000, 3_000, 4_000])
})

test('a refused account is no reason to wait', async () => {
  expect(await handedOver([throttled('Refused the account.', null)])).toEqual({
    fate: { kind: 'failed', error: 'Refused the account. Not sent.' },
    triedAtMs: [0],
  })
})

test('what may have been lost is repeated where that cannot send it twice, and only there', async () => {
  expect(await handedOver([lost, lost, accepted])).toEqual({ fate: accepted, triedAtMs: [0, 1_000, 2_000] })
  const error = 'The provider did not answer. The message may or may not have been sent.'
  expect(await handedOver([lost])).toEqual({ fate: { kind: 'failed', error }, triedAtMs: [0, 1_000, 2_000] })
  expect(await handedOver([lost, accepted], false)).toEqual({
    fate: { kind: 'failed', error },
    triedAtMs: [0],
  })
})

test('uncertainty is not forgotten while waiting, and ends with a refusal', async () => {
  const long = throttled('Patience.', 3_600_000)
  expect((await handedOver([lost, long])).fate).toEqual({
    kind: 'failed',
    error: 'Patience. The message may or may not have been sent.',
  })
  expect((await handedOver([lost, refused])).fate).toEqual({ kind: 'failed', error: 'Refused.' })
})

test('a message that was accepted without a name is asked for it, and stays accepted', async () => {
  expect(await handedOver([unnamed, accepted])).toEqual({ fate: accepted, triedAtMs: [0, 1_000] })
  expect((await handedOver([unnamed, lost])).fate).toEqual(unnamed)
  expect((await handedOver([unnamed, throttled('Patience.', 9_000_000)])).fate).toEqual(unnamed)
  expect(await handedOver([unnamed], false)).toEqual({ fate: unnamed, triedAtMs: [0] })
})

test('a sender that hangs or breaks is one that did not answer, and the log says what was caught', async () => {
  const time = virtualTime()
  const startMs = time.clock.nowMs()
  const errors: unknown[] = []
  const world = {
    ...time,
    log: { info: () => undefined, error: (...line: unknown[]) => void errors.push(line) },
  }
  const handedOver = (send: () => Promise<SendResult>, isRepeatable: boolean) => {
    const pace = { endMs: time.clock.nowMs() + 60_000, notBeforeMs: 0 }
    return time.run(handOver({ sendId: 'snd_1', send, isRepeatable }, pace, world))
  }
  const hung = await handedOver(() => new Promise(() => undefined), false)
  expect([hung.kind, time.clock.nowMs() - startMs]).toEqual(['failed', 15_000])
  const mistake = new TypeError('x')
  expect(await handedOver(() => Promise.reject(mistake), true)).toEqual(hung)
  const fields = { sendId: 'snd_1', reason: 'The provider did not answer.' }
  // The status alone says that the message was accepted, so an answer that breaks off after it does not change that.
  const cutOff = new Error('cut off')
  expect(await handedOver(async () => ({ ...accepted, cause: cutOff }), false)).toEqual(accepted)
  // One log line for each hand-over, however many attempts it took.
  expect(errors).toEqual([
    ['send_broke', fields, expect.objectContaining({ name: 'TimedOut' })],
    ['send_broke', fields, mistake],
    ['send_broke', { sendId: 'snd_1', reason: 'The message was accepted.' }, cutOff],
  ])
})

test('after the end nothing is begun', async () => {
  expect(await handedOver([accepted], true, 0)).toEqual({
    fate: { kind: 'failed', error: 'Not sent: the time for this request was over.' },
    triedAtMs: [],
  })
})
