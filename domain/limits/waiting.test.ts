import { describe, expect, test } from 'vitest'
import {
  doublingPauses,
  drawFrom,
  drawFromClock,
  pauseAfter,
  repeatWhileRejected,
  steadyPauses,
} from './waiting.ts'

test('pauses double up to the longest', () => {
  expect(doublingPauses(8, 4)).toEqual([8, 16, 32, 64])
  expect(doublingPauses(8, 4, 20)).toEqual([8, 16, 20, 20])
  expect(steadyPauses(50, 3)).toEqual([50, 50, 50])
})

test('there is a pause after each try but the last', () => {
  const backoff = { pausesMs: [100, 200] }
  expect([1, 2, 3, 4].map((tries) => pauseAfter(backoff, tries))).toEqual([100, 200, null, null])
})

test('a draw moves a pause within its spread', () => {
  const backoff = { pausesMs: [100], spread: { least: 0.5, most: 1.5 } }
  expect([0, 0.5, 1].map((draw) => pauseAfter(backoff, 1, draw))).toEqual([150, 100, 50])
  expect(pauseAfter(backoff, 2, 0.5)).toBeNull()
  expect([0, 255].map((byte) => drawFrom({ bytes: () => new Uint8Array([byte]) }))).toEqual([0, 1])
  expect([0, 50, 100, 101].map((nowMs) => drawFromClock({ nowMs: () => nowMs }))).toEqual([0, 0.5, 1, 0])
})

describe('work that rejects', () => {
  const pausesMs = [1, 2]
  const setup = (rejections: readonly unknown[]) => {
    const left = [...rejections]
    const waits: number[] = []
    const repeating = {
      isPassing: (rejection: unknown) => rejection === 'busy',
      draw: () => 0,
      wait: async (durationMs: number) => void waits.push(durationMs),
    }
    const work = async () => {
      if (left.length > 0) throw left.shift()
      return 'done'
    }
    return { waits, result: repeatWhileRejected({ pausesMs }, repeating, work) }
  }

  test('is done again after each pause', async () => {
    const { waits, result } = setup(['busy', 'busy'])
    expect(await result).toBe('done')
    expect(waits).toEqual([1, 2])
  })

  test('rejects as the last try does', async () => {
    const { waits, result } = setup(['busy', 'busy', 'busy'])
    await expect(result).rejects.toBe('busy')
    expect(waits).toEqual([1, 2])
  })

  test('is not done again when the rejection is no passing one', async () => {
    const { waits, result } = setup(['busy', 'broken'])
    await expect(result).rejects.toBe('broken')
    expect(waits).toEqual([1])
  })
})
