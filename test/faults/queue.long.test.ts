import { expect, test } from 'vitest'
import { deliver } from '../../domain/jobs/deliver.ts'
import type { OutboxRef } from '../../ports/outbox.ts'
import { seededRandom } from '../support/runner/fakes.ts'
import { thorough } from '../support/runner/thorough.ts'
import { openJobBench } from '../support/providers/jobs.ts'

const SUBMISSIONS = 12

/**
 * What a bad queue does to messages: loses a quarter, delivers a quarter three times, and delivers all in random order.
 */
function mistreated(refs: readonly OutboxRef[], next: () => number): readonly OutboxRef[] {
  return refs
    .flatMap((ref) => (next() < 0.25 ? [] : next() < 0.33 ? [ref, ref, ref] : [ref]))
    .map((ref) => [next(), ref] as const)
    .sort(([left], [right]) => left - right)
    .map(([, ref]) => ref)
}

test.each(Array.from({ length: thorough(20, 3) }, (_, seed) => seed + 1))(
  'messages lost, doubled, reordered, delayed and taken at once: each mail is sent once (seed %i)',
  async (seed) => {
    const next = seededRandom(seed)
    const bench = await openJobBench([{ type: 'send_email', to: 'contact', subject: 'S', html: 'H' }])
    const delayed: OutboxRef[] = []
    for (let index = 0; index < SUBMISSIONS; index += 1) {
      const refs = await bench.submit(`sub-${index}`, [`${index}@example.com`])
      const messages = mistreated([...refs, ...delayed.splice(0)], next)
      const now = messages.filter(() => next() < 0.7)
      delayed.push(...messages.filter((ref) => !now.includes(ref)))
      // Sometimes the provider is unavailable, with or without throttling.
      if (next() < 0.3) {
        bench.email.answers.push({
          kind: 'unavailable',
          reason: 'busy',
          throttled: next() < 0.5,
          retryAfterMs: null,
        })
      }
      await Promise.all(now.map((ref) => deliver(ref, bench.world)))
      bench.clock.advance(Math.floor(next() * 90_000))
    }
    await bench.settle()
    expect(await bench.storage.outboxOf('acme')).toEqual([])
    const expected = Array.from({ length: SUBMISSIONS }, (_, index) => [
      `${index}@example.com`,
      'ada@example.com',
    ]).flat()
    expect(bench.email.delivered.map(([, { to }]) => to).sort()).toEqual(expected.sort())
    const sends = await bench.sends()
    expect(sends.map(({ to }) => to).sort()).toEqual(expected)
    expect(sends.every(({ outcome }) => outcome === 'accepted')).toBe(true)
    expect(bench.errors).toEqual([])
  },
)
