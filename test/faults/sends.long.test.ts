import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/contract/endpoints.ts'
import type { SendLog } from '../../ports/messaging.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { fakeSms } from '../support/providers/jobs.ts'
import { fakeClock, fakeRandom, type FakeClock } from '../support/runner/fakes.ts'
import { thorough, triedPlaces } from '../support/runner/thorough.ts'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// A process that sends to many dies at a call of storage or of the provider, before the call or after it, and the request
// is made again. Text messages, because their provider does not recognise one that it is given twice.

/** More than are released at once, so that they are recorded in several steps. */
const numbers = Array.from({ length: 107 }, (_, index) => `+1212555${String(1000 + index)}`)
const TEN_MINUTES_MS = 600_000

type Kill = { readonly call: number; readonly moment: 'before' | 'after' }

interface World {
  readonly clock: FakeClock
  readonly storage: ScratchStorage
  readonly texts: ReturnType<typeof fakeSms>
  readonly key: string
}

interface Process {
  readonly service: TestService
  /** The calls that it has made, by name. */
  readonly calls: readonly string[]
  /** Fulfilled when it has died. */
  readonly died: Promise<unknown>
}

let seed = 0

/** Starts a process, which dies at a call: nothing of it returns any more. */
async function start(
  { clock, storage, texts }: Omit<World, 'key'>,
  kill: Kill | null = null,
): Promise<Process> {
  const calls: string[] = []
  const death = Promise.withResolvers<undefined>()
  let isDead = false
  const hasDied = () => isDead
  const never = () => new Promise<never>(() => undefined)
  const die = () => {
    isDead = true
    death.resolve(undefined)
    return never()
  }
  const mortal = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (hasDied()) return never()
          const call = calls.push(`${name}.${String(method)}`)
          if (call === kill?.call && kill.moment === 'before') return die()
          const result: unknown = await Reflect.apply(value, target, args)
          if (hasDied()) return never()
          return call === kill?.call ? die() : result
        }
      },
    })
  const sends: SendLog = { open: (owner) => mortal('sends', storage.sends.open(owner)) }
  seed += 1
  const service = await openTestService(() => ({ ...storage, sends }), undefined, {
    clock,
    random: fakeRandom(seed),
    sms: mortal('sms', texts.sender),
    // Nothing takes too long.
    deadline: { after: () => new AbortController().signal },
  })
  return { service, calls, died: death.promise }
}

async function openWorld(choice: PlaceChoice): Promise<World> {
  const clock = fakeClock()
  const world = { clock, storage: createScratchStorage({ clock, choice }), texts: fakeSms() }
  const { service } = await start(world)
  return { ...world, key: await service.addOrganization('acme', { smsNumber: '+12125550100' }) }
}

async function post({ service }: Process, key: string) {
  const response = await service.send(sendMessage.path, {
    key,
    headers: { 'idempotency-key': 'once' },
    json: { to: numbers, body: 'Hi' },
  })
  const body = (await response.json()) as {
    readonly results?: readonly { readonly to: string; readonly success: boolean; readonly error?: string }[]
  }
  return { status: response.status, ...body }
}

/** Every message that was delivered is recorded under its key: as accepted, or as not known yet. */
async function assertTraced({ storage, texts }: World): Promise<void> {
  const rows = new Map((await storage.sends.open('acme').list(null, 999)).map((row) => [row.sendId, row]))
  const untraced = texts.delivered.filter(([sendId, { to }]) => {
    const row = rows.get(sendId)
    return row?.to !== to || row.outcome === 'failed'
  })
  expect(untraced).toEqual([])
  const delivered = new Set(texts.delivered.map(([sendId]) => sendId))
  const invented = [...rows.values()].filter(
    ({ sendId, outcome }) => outcome === 'accepted' && !delivered.has(sendId),
  )
  expect(invented).toEqual([])
}

async function killed(choice: PlaceChoice, kill: Kill, isLast: boolean): Promise<void> {
  const world = await openWorld(choice)
  const first = await start(world, kill)
  const answer = post(first, world.key)
  await Promise.race([first.died, answer])
  await assertTraced(world)
  const isClaimed = (await world.storage.sends.open('acme').list(null, 1)).length > 0
  const second = await start(world)
  if (isClaimed) {
    const before = addressees(world)
    const early = await post(second, world.key)
    expect(addressees(world)).toEqual(before)
    // Its outcomes are all recorded, or else it may still be at work.
    expect(early.status).toBe(isLast && kill.moment === 'after' ? 200 : 409)
    world.clock.advance(TEN_MINUTES_MS)
  }
  const repeated = await post(second, world.key)
  await assertTraced(world)
  const counts = Map.groupBy(addressees(world), (to) => to)
  expect([...counts.values()].filter(({ length }) => length > 1)).toEqual([])
  // Whoever was written to is told so, or unknown; everybody else was certainly not written to before, and is now.
  const unknown = (repeated.results ?? []).filter(({ success }) => !success)
  expect(repeated.results?.map(({ to }) => to)).toEqual(numbers)
  expect(unknown.filter(({ error }) => !error?.startsWith('Unknown: '))).toEqual([])
  expect((repeated.results ?? []).filter(({ to, success }) => success && !counts.has(to))).toEqual([])
  // Those of a group, and of the group before it those that were on their way.
  expect(unknown.length).toBeLessThanOrEqual(isClaimed ? 50 + 5 : 0)
  expect(repeated.status).toBe(unknown.length === 0 ? 200 : 207)
  expect(await post(await start(world), world.key)).toEqual(repeated)
}

function addressees({ texts: { delivered } }: World): readonly string[] {
  return delivered.map(([, { to }]) => to)
}

const SHARED = { kind: 'shared' } as const
const OWN = { kind: 'own', region: null, jurisdiction: null } as const

/** The calls of a process that lives. */
const unbroken = await (async () => {
  const world = await openWorld(SHARED)
  const process = await start(world)
  expect((await post(process, world.key)).status).toBe(200)
  return process.calls
})()

/** All calls of storage, and of those to the provider some, among them the ones beside a call of storage. */
const STEP = thorough(1, 17)
const calls = unbroken.flatMap((name, index) => {
  const beside = unbroken.slice(Math.max(0, index - 7), index + 8)
  const isTried = name !== 'sms.send' || index % STEP === 0 || beside.some((other) => other !== 'sms.send')
  return isTried ? [[index + 1, name] as const] : []
})

test('a send of 107 with a key is recorded in four calls', () => {
  expect(unbroken.filter((name) => name !== 'sms.send')).toEqual([
    'sends.claim',
    'sends.end',
    'sends.end',
    'sends.end',
  ])
  expect(unbroken).toHaveLength(numbers.length + 4)
})

describe.each(triedPlaces([SHARED, OWN]))('in a place that is $kind', (choice) => {
  test.each([
    ['without a key', {}],
    ['with a key', { 'idempotency-key': 'once' }],
  ])('%s, nothing is handed over when it cannot be recorded before', async (_name, headers) => {
    const { clock, storage, texts, key } = await openWorld(choice)
    const fail = () => Promise.reject(new Error('Storage is away'))
    const sends: SendLog = { open: (owner) => ({ ...storage.sends.open(owner), record: fail, claim: fail }) }
    const service = await openTestService(() => ({ ...storage, sends }), undefined, {
      clock,
      sms: texts.sender,
      deadline: { after: () => AbortSignal.timeout(25) },
    })
    const response = await service.send(sendMessage.path, {
      key,
      headers,
      json: { to: numbers, body: 'Hi' },
    })
    const { error } = (await response.json()) as { readonly error: string }
    expect([response.status, error]).toEqual([
      500,
      expect.stringMatching(/^The request could not be processed\./),
    ])
    expect([texts.delivered, await storage.sends.open('acme').list(null, 9)]).toEqual([[], []])
  })

  test('whoever was erased after the request was cut off is written to no more, and the others are', async () => {
    const world = await openWorld(choice)
    // The first 50 are released, and then it dies. Of them, the first is refused by the provider.
    world.texts.answers.push({ kind: 'refused', reason: 'No such number.' })
    const first = await start(world, { call: unbroken.indexOf('sends.end') + 1, moment: 'after' })
    await Promise.race([first.died, post(first, world.key)])
    const before = addressees(world)
    const second = await start(world)
    const people = [numbers[0], before[0], numbers[106]] as readonly string[]
    const erased = await second.service.send('/operator/v1/organizations/acme/contacts/erase', {
      key: await second.service.addOperatorKey('admin'),
      json: { phones: people },
    })
    expect([erased.status, before.length < numbers.length]).toEqual([200, true])
    world.clock.advance(TEN_MINUTES_MS)
    const { results = [] } = await post(second, world.key)
    expect(people.map((number) => results.find(({ to }) => to === number))).toEqual([
      {
        to: people[0],
        success: false,
        error: expect.stringMatching(/^It failed\..* kept no longer/) as unknown,
      },
      { to: people[1], success: true },
      { to: people[2], success: false, error: 'Not sent: the recipient was erased.' },
    ])
    const after = addressees(world).slice(before.length)
    expect(after.filter((to) => people.includes(to))).toEqual([])
    expect(after).toContain(numbers[105])
    const recorded = (await world.storage.sends.open('acme').list(null, 999)).map(({ to }) => to)
    expect(recorded.filter((to) => people.includes(to))).toEqual([])
    expect(await post(second, world.key)).toMatchObject({ results })
  })

  test.each(calls)(
    'killed at call %i (%s), everybody is accounted for and nobody is written to twice',
    async (call) => {
      for (const moment of ['before', 'after'] as const)
        await killed(choice, { call, moment }, call === unbroken.length)
    },
  )
})
