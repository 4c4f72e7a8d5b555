import { expect, test } from 'vitest'
import type { SendRecord, SendResult } from '../../ports/messaging.ts'
import { fakeRandom } from '../../test/support/runner/fakes.ts'
import { virtualTime } from '../../test/support/runner/virtual-time.ts'
import { addressRecipient } from './request.ts'
import { throttled, unavailable } from './send-results.ts'
import { sendToAll, type Mailing, type SendingWorld } from './send-to-all.ts'

type Send = (to: string, key: string) => Promise<SendResult>

/**
 * A world of fakes, with a provider that takes `sendMs` for each message and a log whose writes can be made to fail.
 */
function bench(sendMs = 100) {
  const time = virtualTime()
  const written: SendRecord[] = []
  const pending: SendRecord[] = []
  const logged: string[] = []
  const background: Promise<unknown>[] = []
  const state = { calls: 0, width: 0, widest: 0, brokenWrites: [] as boolean[] }
  const world: SendingWorld = {
    ...time,
    random: fakeRandom(),
    log: { info: () => undefined, error: (event) => logged.push(event) },
    background: { run: (work) => void background.push(work) },
    sends: {
      open: (organizationId) => ({
        record: async (records) => {
          write(organizationId)
          pending.push(...records.filter(({ outcome }) => outcome === 'pending'))
          written.push(...records.filter(({ outcome }) => outcome !== 'pending'))
          return true
        },
        end: async (records) => {
          write(organizationId)
          written.push(...records)
          return true
        },
        claim: () => Promise.reject(new Error('Without a key nothing is claimed')),
        takeReturn: () => Promise.reject(new Error('Nothing is returned')),
        ofSubmission: async () => [],
        list: async () => written,
      }),
    },
  }
  const write = (organizationId: string | null) => {
    state.calls += 1
    if (organizationId !== 'acme') throw new Error('Another organization')
    if (state.brokenWrites.shift() === true) throw new Error('Storage is away')
  }
  const slow =
    (answer: Send): Send =>
    async (to, key) => {
      state.width += 1
      state.widest = Math.max(state.widest, state.width)
      await time.after(sendMs)
      state.width -= 1
      return answer(to, key)
    }
  const send = async (to: readonly string[], answer: Send, idempotencyMs = 1) => {
    const mailing: Mailing = {
      organizationId: 'acme',
      recipients: to.map(addressRecipient),
      identity: { channel: 'email', from: 'Acme <acme@mail.example.com>' },
      capabilities: { idempotencyMs },
      recognisable: null,
      send: slow(answer),
    }
    const ended = await time.run(sendToAll(mailing, world))
    if (ended.kind !== 'outcomes') throw new Error(ended.kind)
    return ended.outcomes
  }
  return { time, pending, written, logged, background, state, send }
}

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@example.com`)
const accepted: Send = async (to) => ({ kind: 'accepted', providerId: `id-${to}` })

test('500 recipients, three of whom fail: in order, at most six at once, each sent and recorded once', async () => {
  const { send, state, written } = bench()
  const sentTo: string[] = []
  const outcomes = await send(addresses(500), async (to, key) => {
    if (to === 'a7@example.com') return { kind: 'refused', reason: 'Refused.' }
    if (to === 'a250@example.com') return unavailable('Lost.')
    if (to === 'a499@example.com') return throttled('No account.', null)
    sentTo.push(to)
    return accepted(to, key)
  })
  expect(outcomes.map(({ to }) => to)).toEqual(addresses(500))
  expect(outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error]))).toEqual([
    'Refused.',
    'Lost. The message may or may not have been sent.',
    'No account. Not sent.',
  ])
  expect(new Set(sentTo).size).toBe(497)
  expect([sentTo.length, state.widest]).toEqual([497, 6])
  expect(written.map(({ to }) => to).sort()).toEqual(addresses(500).sort())
  expect(new Set(written.map(({ sendId }) => sendId)).size).toBe(500)
  // 500 sends of 100 ms, six at once, take 8.4 s (and 3 s more for the lost one). The log is written every two seconds
  // and at the end.
  expect(state.calls).toBeLessThanOrEqual(7)
})

test('who is named twice is written to once and answered twice, as given', async () => {
  const { send, written } = bench()
  const keys: string[] = []
  const to = ['ada@Example.com', 'nobody', 'ada@example.com', 'Ada@example.com', 'nobody']
  const outcomes = await send(to, async (address, key) => {
    keys.push(key)
    return accepted(address, key)
  })
  const invalid = { to: 'nobody', success: false, error: 'This is not a valid email address.' }
  expect(outcomes).toEqual([
    { to: 'ada@Example.com', success: true, id: 'id-ada@Example.com' },
    invalid,
    { to: 'ada@example.com', success: true, id: 'id-ada@Example.com' },
    { to: 'Ada@example.com', success: true, id: 'id-Ada@example.com' },
    invalid,
  ])
  expect(new Set(keys).size).toBe(2)
  expect(written.map(({ to: recipient, outcome, providerId }) => [recipient, outcome, providerId])).toEqual([
    ['nobody', 'failed', null],
    ['ada@Example.com', 'accepted', 'id-ada@Example.com'],
    ['Ada@example.com', 'accepted', 'id-Ada@example.com'],
  ])
})

test('keys differ from request to request, and stay for what is tried again', async () => {
  const { send } = bench()
  const keys: string[] = []
  let losses = 1
  const answer: Send = async (to, key) => {
    keys.push(key)
    losses -= 1
    return losses >= 0 ? unavailable('Lost.') : accepted(to, key)
  }
  await send(['ada@example.com'], answer)
  await send(['ada@example.com'], answer)
  expect(keys).toHaveLength(3)
  expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false])
})

test('one who is asked to wait lets all wait, and all are served when the time suffices', async () => {
  const { send, time } = bench(10)
  let calls = 0
  let refusals = 0
  let openAtMs = 0
  const outcomes = await send(addresses(40), async (to, key) => {
    calls += 1
    if (time.clock.nowMs() < openAtMs) refusals += 1
    if (calls % 10 === 0) {
      openAtMs = time.clock.nowMs() + 3_000
      return throttled('Patience.', 3_000)
    }
    return accepted(to, key)
  })
  expect(outcomes.length).toBeGreaterThan(0)
  expect(outcomes.filter(({ success }) => !success)).toEqual([])
  // Only sends that were already under way when the provider asked to wait are refused.
  expect(refusals).toBeLessThanOrEqual(5 * 4)
})

test('whom the time does not suffice for is reported and recorded as not sent', async () => {
  const { send, written, time } = bench(3_000)
  const startMs = time.clock.nowMs()
  const outcomes = await send(addresses(500), accepted)
  const sent = outcomes.filter(({ success }) => success).length
  // Six sends at once, of three seconds each, for a minute.
  expect(sent).toBe(120)
  expect(
    outcomes.slice(120).every((outcome) => !outcome.success && outcome.error.startsWith('Not sent')),
  ).toBe(true)
  expect(written.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(120)
  expect(written).toHaveLength(500)
  expect(time.clock.nowMs() - startMs).toBe(60_000)
})

test('a provider that asks for too much patience ends it at once', async () => {
  const { send, time } = bench()
  const startMs = time.clock.nowMs()
  const outcomes = await send(addresses(20), async () => throttled('Patience.', 3_600_000))
  expect(time.clock.nowMs() - startMs).toBe(100)
  expect(outcomes.map((outcome) => (outcome.success ? '' : outcome.error))).toEqual([
    ...Array.from({ length: 6 }, () => 'Patience. Not sent.'),
    ...Array.from(
      { length: 14 },
      () => 'Not sent: the provider asked to wait for longer than this request may take.',
    ),
  ])
})

test('what is sent is recorded while the rest is on its way', async () => {
  const { send, written, state } = bench(1_000)
  const known: number[] = []
  await send(addresses(60), async (to, key) => {
    known.push(written.length)
    return accepted(to, key)
  })
  expect(known[30]).toBeGreaterThanOrEqual(12)
  expect(state.calls).toBeLessThanOrEqual(7)
  expect(written).toHaveLength(60)
})

test('nothing is handed over before it is recorded as pending', async () => {
  const { send, pending } = bench()
  const unrecorded: string[] = []
  await send(addresses(30), async (to, key) => {
    if (!pending.some(({ sendId, to: recipient }) => sendId === key && recipient === to)) unrecorded.push(to)
    return accepted(to, key)
  })
  expect([unrecorded, pending.length]).toEqual([[], 30])
})

test('when recording beforehand fails it is tried again; when it fails again nothing is handed over', async () => {
  const once = bench()
  once.state.brokenWrites = [true]
  expect((await once.send(addresses(3), accepted)).every(({ success }) => success)).toBe(true)
  expect(once.logged).toEqual(['sends_not_recorded_yet'])

  const twice = bench()
  twice.state.brokenWrites = [true, true]
  let calls = 0
  const answer: Send = async (to, key) => {
    calls += 1
    return accepted(to, key)
  }
  await expect(twice.send(addresses(3), answer)).rejects.toThrow('Storage is away')
  expect(calls).toBe(0)
})

test('when recording an outcome fails it is tried again; the answer says what happened in any case', async () => {
  const one = bench()
  one.state.brokenWrites = [false, true]
  expect((await one.send(addresses(3), accepted)).map(({ success }) => success)).toEqual([true, true, true])
  expect(one.written).toHaveLength(3)
  expect(one.logged).toEqual(['sends_not_recorded_yet'])

  const none = bench()
  none.state.brokenWrites = [false, true, true]
  expect((await none.send(addresses(3), accepted)).map(({ success }) => success)).toEqual([true, true, true])
  expect(none.written).toEqual([])
  expect(none.logged.at(-1)).toBe('sends_not_recorded')

  const midway = bench(1_000)
  midway.state.brokenWrites = [false, true, true]
  await midway.send(addresses(60), accepted)
  expect(midway.written.map(({ to }) => to).sort()).toEqual(addresses(60).sort())
})

test('the platform is told of the work, which does not end with the request', async () => {
  const { send, background } = bench()
  await send(addresses(1), accepted)
  expect(background).toHaveLength(1)
})

test('without idempotency keys nothing is handed over twice', async () => {
  const { send } = bench()
  let calls = 0
  const outcomes = await send(
    addresses(1),
    async () => {
      calls += 1
      return unavailable('Lost.')
    },
    0,
  )
  expect(calls).toBe(1)
  expect(outcomes).toEqual([
    { to: 'a0@example.com', success: false, error: 'Lost. The message may or may not have been sent.' },
  ])
})

test('what a provider accepts without a name has ours', async () => {
  const { send, written } = bench()
  const [outcome] = await send(addresses(1), async () => ({ kind: 'accepted', providerId: null }))
  expect(written).toHaveLength(1)
  const id = written[0]?.sendId ?? 'none'
  expect(outcome).toEqual({ to: 'a0@example.com', success: true, id })
  expect(written[0]?.providerId).toBe(id)
})

test('nonsense of any length is recorded in part', async () => {
  const { send, written } = bench()
  const nonsense = '😀'.repeat(5_000)
  expect((await send([nonsense], accepted))[0]?.to).toBe(nonsense)
  expect(written[0]?.to).toHaveLength(400)
})
