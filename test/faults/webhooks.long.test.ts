import { expect, test } from 'vitest'
import { sweep } from '../../domain/jobs/deliver.ts'
import type { JobWorld } from '../../domain/jobs/work.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { sealSecret } from '../../domain/webhooks/signature.ts'
import { submission } from '../../adapters/conformance/fixtures.ts'
import { openJobBench } from '../support/providers/jobs.ts'
import { fakeRandom, seededRandom, testSecrets } from '../support/runner/fakes.ts'
import { thorough } from '../support/runner/thorough.ts'

// Many events to a receiver that fails at random, from workers that die at random. With WEBHOOK_EVENTS=10000 as many.

const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 500)
const KILLS = 10
const MINUTES_MAX = 4 * 24 * 60

/** A world whose worker dies after so many calls: from then on nothing that it begins has an effect, or comes back. */
function mortal(world: JobWorld, callsLeft: number, onDeath: () => void): JobWorld {
  let left = callsLeft
  const alive = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    left -= 1
    if (left === 0) onDeath()
    if (left <= 0) return new Promise<never>(() => undefined)
    const answer = await call()
    // What comes back to a dead worker is lost, and has had its effect.
    return left <= 0 ? new Promise<never>(() => undefined) : answer
  }
  const wrap = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => alive(async () => Reflect.apply(value, target, args) as unknown)
      },
    })
  const { outbox, hooks } = world
  return {
    ...world,
    outbox: { ...outbox, open: (id) => wrap(outbox.open(id)), due: (now, limit) => outbox.due(now, limit) },
    hooks: {
      ...hooks,
      webhooks: (id) => wrap(hooks.webhooks(id)),
      tenant: (id) => wrap(hooks.tenant(id)),
      fetch: (url, init) => alive(() => hooks.fetch(url, init)),
    },
    // Nobody waits in a dead worker.
    deadline: { after: (ms) => (ms < 6_000 ? AbortSignal.abort() : new AbortController().signal) },
  }
}

test.each(thorough([1, 2], [1]))(
  'each event arrives at a receiver that fails at random, however often workers die (seed %i)',
  { timeout: 600_000 },
  async (seed) => {
    const bench = await openJobBench()
    const { storage, clock } = bench
    const random = seededRandom(seed)
    const owner = { organizationId: 'acme', webhookId: 'wh_1' }
    const secret = await sealSecret(`whsec_${'A'.repeat(43)}=`, owner, await testSecrets(), fakeRandom(2))
    const made = {
      url: 'https://example.com/',
      events: ['submission.created'],
      formIds: null,
      description: '',
    }
    await storage
      .webhooks('acme')
      .create({ ...made, webhookId: 'wh_1', isOn: true, createdAt: toInstant(clock.nowMs()), secret }, 20)
    const taken = new Map<string, number>()
    const world: JobWorld = {
      ...bench.world,
      hooks: {
        ...bench.world.hooks,
        async fetch(_url, { headers }) {
          const drawn = random()
          if (drawn < 0.1) throw new TypeError('Connection refused')
          if (drawn < 0.2) return new Response('no', { status: 500 })
          const id = new Headers(headers).get('webhook-id') ?? ''
          taken.set(id, (taken.get(id) ?? 0) + 1)
          return new Response(null, { status: 204 })
        },
      },
    }
    const expected: string[] = []
    for (let index = 0; index < EVENTS; index += 1) {
      const id = `sub-${index}`
      await storage.tenant('acme').saveSubmission({ ...submission(id), contact: null })
      expected.push(`whd_${id}_1`)
    }
    let kills = 0
    for (let minute = 0; minute < MINUTES_MAX; minute += 1) {
      if (!(await storage.outboxOf('acme')).some(({ status }) => status === 'pending')) break
      clock.advance(60_000)
      if (kills === KILLS) {
        await sweep({ ...world, deadline: mortal(world, Infinity, () => undefined).deadline })
        continue
      }
      let isDead = (): void => undefined
      const death = new Promise<void>((resolve) => {
        isDead = resolve
      })
      const lifetime = 20 + Math.floor(random() * Math.min(500, EVENTS / 2))
      const dying = mortal(world, lifetime, () => {
        kills += 1
        isDead()
      })
      await Promise.race([sweep(dying), death])
    }
    expect(kills).toBe(KILLS)
    expect(await storage.outboxOf('acme')).toEqual([])
    expect([...taken.keys()].sort()).toEqual(expected.sort())
    // Two are on their way at once when a worker dies.
    const twice = [...taken.values()].filter((times) => times > 1)
    expect(twice.length).toBeLessThanOrEqual(2 * KILLS)
    expect(Math.max(...taken.values())).toBeLessThanOrEqual(2)
    const lost = await storage.webhooks('acme').deliveries('wh_1', true, null, 10)
    expect(lost).toEqual([])
  },
)
