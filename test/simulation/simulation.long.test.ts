import { describe, expect, test } from 'vitest'
import { drawnDecisions } from './engine/decisions.ts'
import { decideFaults, type Faults } from './engine/faults.ts'
import { simulate } from './simulation.ts'
import { thorough } from '../support/runner/thorough.ts'

/** The first seed whose faults meet the condition. */
function seedWith(isWanted: (faults: Faults) => boolean): number {
  for (let seed = 1; seed < 1_000; seed += 1) if (isWanted(decideFaults(drawnDecisions(seed)))) return seed
  throw new Error('No seed has such faults')
}

test('the same seed gives the same trace, byte for byte, and so do its decisions', async () => {
  const one = await simulate({ from: 4, steps: 150, keepsTrace: true })
  const other = await simulate({ from: 4, steps: 150, keepsTrace: true })
  const replayed = await simulate({ from: one.decisions, steps: 150, keepsTrace: true })
  expect(one.trace.length).toBeGreaterThan(100)
  expect(other.trace.join('\n')).toBe(one.trace.join('\n'))
  expect(replayed.trace.join('\n')).toBe(one.trace.join('\n'))
})

describe('what was promised comes true', () => {
  test.each(thorough(['email', 'sms', 'queue', 'object'] as const, ['queue', 'object'] as const))(
    'though the %s stays broken',
    async (part) => {
      const seed = seedWith(({ neverMended }) => neverMended === part)
      const run = await simulate({ from: seed, steps: 150, keepsTrace: true })
      expect(run.violation).toBeNull()
      expect(run.trace.filter((line) => line.includes('faults end'))).toHaveLength(1)
    },
  )

  test('where nothing goes wrong', async () => {
    const run = await simulate({ from: seedWith(({ isCalm }) => isCalm), steps: 500 })
    expect(run.violation).toBeNull()
    expect(run.receipts).toBeGreaterThan(0)
  })
})

test('the platform is as it was after a run', async () => {
  await simulate({ from: 1, steps: 10 })
  expect(Object.keys(crypto.subtle)).toEqual([])
})
