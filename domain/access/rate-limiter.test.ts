import { describe, expect, test } from 'vitest'
import { fakeClock, seededRandom, type FakeClock } from '../../test/support/runner/fakes.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

/** How many of `count` requests at the same moment are admitted. */
function burst(limiter: RateLimiter, count: number, rate: number, keyId = 'key'): number {
  const admitted = Array.from({ length: count }, () => limiter.take(keyId, rate))
  return admitted.filter(({ isExceeded }) => !isExceeded).length
}

test('a burst is admitted up to the rate, and each budget says what is left', () => {
  const limiter = createRateLimiter(fakeClock())
  const budgets = Array.from({ length: 4 }, () => limiter.take('key', 3))
  expect(budgets.map(({ remaining, isExceeded }) => [remaining, isExceeded])).toEqual([
    [2, false],
    [1, false],
    [0, false],
    [0, true],
  ])
  expect(budgets.map(({ renewsInMs }) => renewsInMs)).toEqual([60_000, 60_000, 60_000, 60_000])
})

test('room is made by the oldest request when it is a minute old, and not a millisecond before', () => {
  const clock = fakeClock()
  const limiter = createRateLimiter(clock)
  limiter.take('key', 2)
  clock.advance(20_000)
  limiter.take('key', 2)
  expect(limiter.take('key', 2)).toMatchObject({ isExceeded: true, renewsInMs: 40_000 })
  clock.advance(39_999)
  expect(limiter.take('key', 2)).toMatchObject({ isExceeded: true, renewsInMs: 1 })
  expect(limiter.exhausted('key')).toMatchObject({ isExceeded: true, remaining: 0, renewsInMs: 1 })
  clock.advance(1)
  expect(limiter.exhausted('key')).toBeNull()
  expect(burst(limiter, 3, 2)).toBe(1)
  clock.advance(19_999)
  expect(burst(limiter, 3, 2)).toBe(0)
  clock.advance(1)
  expect(burst(limiter, 3, 2)).toBe(1)
})

test('refused requests do not count: who keeps asking is admitted as soon as who waits', () => {
  const clock = fakeClock()
  const limiter = createRateLimiter(clock)
  burst(limiter, 5, 5)
  for (let second = 1; second < 60; second += 1) {
    clock.advance(1_000)
    expect(burst(limiter, 10, 5)).toBe(0)
  }
  clock.advance(1_000)
  expect(burst(limiter, 10, 5)).toBe(5)
})

test.each([1, 2, 3, 4, 5])(
  'any 60 seconds hold exactly as many as a count of them allows, seed %i',
  (seed) => {
    const random = seededRandom(seed)
    const clock = fakeClock()
    const limiter = createRateLimiter(clock)
    const rate = 1 + Math.floor(random() * 20)
    let elapsedMs = 0
    let counted: number[] = []
    const wrong: unknown[] = []
    for (let round = 0; round < 3_000; round += 1) {
      const stepMs = Math.floor(random() ** 4 * 20_000)
      elapsedMs += stepMs
      clock.advance(stepMs)
      counted = counted.filter((atMs) => atMs > elapsedMs - 60_000)
      const isExceeded = counted.length >= rate
      const judged = [limiter.exhausted('key') !== null, limiter.take('key', rate).isExceeded]
      if (judged.includes(!isExceeded)) wrong.push({ round, judged, counted })
      if (!isExceeded) counted.push(elapsedMs)
    }
    expect(wrong).toEqual([])
  },
)

describe('a clock that is set', () => {
  const setBack = (clock: FakeClock) => {
    clock.advance(-3_600_000)
  }

  // Setting the clock back loses the time that had passed since it was last read, so the wait begins again at the new
  // time.
  test('back gives nothing away, and locks nobody out for more than a minute', () => {
    const clock = fakeClock()
    const limiter = createRateLimiter(clock)
    expect(burst(limiter, 3, 3)).toBe(3)
    clock.advance(30_000)
    setBack(clock)
    expect(limiter.take('key', 3)).toMatchObject({ isExceeded: true, renewsInMs: 60_000 })
    clock.advance(59_999)
    expect(burst(limiter, 1, 3)).toBe(0)
    clock.advance(1)
    expect(burst(limiter, 4, 3)).toBe(3)
  })

  test('forth only renews what is left', () => {
    const clock = fakeClock()
    const limiter = createRateLimiter(clock)
    burst(limiter, 3, 3)
    clock.advance(86_400_000)
    expect(burst(limiter, 4, 3)).toBe(3)
  })
})

test('what was learned of keys is known until their requests are admitted again', () => {
  const clock = fakeClock()
  const limiter = createRateLimiter(clock)
  const budget = { isExceeded: true, ratePerMinute: 3, remaining: 0 }
  for (const renewsInMs of [1_000, 2_000]) limiter.learn(`${renewsInMs}`, { ...budget, renewsInMs })
  clock.advance(999)
  expect(limiter.exhausted('1000')).toEqual({ ...budget, renewsInMs: 1 })
  clock.advance(1)
  expect(limiter.exhausted('1000')).toBeNull()
  expect(limiter.exhausted('2000')).toEqual({ ...budget, renewsInMs: 1_000 })
})

test('two instances count apart, and so do two keys', () => {
  const clock = fakeClock()
  const [one, other] = [createRateLimiter(clock), createRateLimiter(clock)]
  expect([burst(one, 5, 3), burst(other, 5, 3), burst(one, 5, 3, 'other')]).toEqual([3, 3, 3])
})

test('a key that gets another rate begins anew', () => {
  const limiter = createRateLimiter(fakeClock())
  expect([burst(limiter, 9, 3), burst(limiter, 9, 5)]).toEqual([3, 5])
})

describe('memory', () => {
  const RATE = 60
  const spentOf = (limiter: RateLimiter, keys: number) =>
    Array.from({ length: keys }, (_, index) => limiter.exhausted(`key-${index}`) !== null)

  test('10,000 keys are counted side by side', () => {
    const limiter = createRateLimiter(fakeClock())
    const admitted = Array.from({ length: 10_000 }, (_, index) =>
      burst(limiter, RATE + 1, RATE, `key-${index}`),
    )
    expect(new Set(admitted)).toEqual(new Set([RATE]))
    expect(new Set(spentOf(limiter, 10_000))).toEqual(new Set([true]))
  })

  test('never more is kept than allowed: the keys unused for longest are forgotten', () => {
    const limiter = createRateLimiter(fakeClock(), 100 * (RATE + 50))
    for (let index = 0; index < 2_000; index += 1) {
      burst(limiter, RATE, RATE, `key-${index}`)
      limiter.take('key-0', RATE)
    }
    const spent = spentOf(limiter, 2_000)
    expect(spent.filter(Boolean)).toHaveLength(100)
    expect(spent[0]).toBe(true)
    expect(spent.slice(-99)).not.toContain(false)
  })

  test('keys of the smallest rate are forgotten too, although their rings are small', () => {
    const limiter = createRateLimiter(fakeClock())
    for (let index = 0; index < 60_000; index += 1) limiter.take(`key-${index}`, 1)
    const kept = spentOf(limiter, 60_000).filter(Boolean).length
    expect(kept).toBeGreaterThan(10_000)
    expect(kept).toBeLessThan(40_000)
  })

  test('a rate larger than all that is allowed is counted all the same', () => {
    const limiter = createRateLimiter(fakeClock(), 10)
    expect(burst(limiter, 25, 20)).toBe(20)
  })
})
