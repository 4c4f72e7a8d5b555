import type { Clock, RandomSource } from '../../../ports/platform.ts'
import { openSecrets, type Secrets } from '../../../domain/access/secrets.ts'
import { toBase64Url } from '../../../domain/text/encoding.ts'

/** A clock that only moves when a test moves it. */
export interface FakeClock extends Clock {
  set(instant: string): void
  advance(ms: number): void
}

export function fakeClock(start = '2026-06-15T12:00:00.000Z'): FakeClock {
  let now = Date.parse(start)
  return {
    nowMs: () => now,
    set: (instant) => {
      now = Date.parse(instant)
    },
    advance: (ms) => {
      now += ms
    },
  }
}

/** Repeatable pseudo-random numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Random bytes that are the same in every run. */
export function fakeRandom(seed = 1): RandomSource {
  const next = seededRandom(seed)
  return { bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)) }
}

/** A root secret for tests: 32 equal bytes. */
export function testRootSecret(byte = 7): string {
  return toBase64Url(new Uint8Array(32).fill(byte))
}

export function testSecrets(byte = 7, previousByte: number | null = null): Promise<Secrets> {
  return openSecrets(testRootSecret(byte), previousByte === null ? null : testRootSecret(previousByte))
}
