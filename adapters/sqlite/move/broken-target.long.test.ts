import { beforeAll, describe, expect, test } from 'vitest'
import { runMove, tidyUp } from '../../../domain/placement/move/advance.ts'
import { MOVE_LEASE_MS, type MoveWorld } from '../../../domain/placement/move/world.ts'
import type { Move, MovedTable, MovePlace, Place } from '../../../ports/placement.ts'
import { fewTables, fewTablesImage } from '../../../test/support/databases/few-tables.ts'
import {
  contentOf,
  leftOf,
  movingPlaces,
  toOwn,
  type MovingPlaces,
} from '../../../test/support/moving/moving.ts'
import { movingWriter } from '../../../test/support/moving/moving-writer.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import { virtualTime, type VirtualTime } from '../../../test/support/runner/virtual-time.ts'
import { openImage } from '../../node-sqlite/index.ts'
import { readMovedTables } from './moved-rows.ts'

// A move whose target stops working, at any of its calls before the switch, can be given up: within a bounded time, and
// without the target.

/** Every so many calls of the target are tried, and the last one before the switch. */
const STRIDE = 4
const FAMILY = ['acme']
/** The lease of a mover that died in the middle of an attempt to switch, and a few calls that are not answered. */
const BOUND_MS = MOVE_LEASE_MS + 40_000
const TIDY_MS = 15 * 60_000

let tables: readonly MovedTable[]
let shared: Uint8Array
let placed: { readonly image: Uint8Array; readonly ownImage: Uint8Array }

beforeAll(async () => {
  const database = openImage(fewTablesImage())
  tables = await readMovedTables(database)
  await oddFamily(database, tables, FAMILY, 2)
  shared = database.image()
  const time = virtualTime()
  const places = openPlaces(time, { image: shared }, database)
  await time.run(places.move('acme', toOwn))
  placed = { image: database.image(), ownImage: places.own(await places.placeOf('acme')).image() }
})

function openPlaces(
  { clock, deadline }: VirtualTime,
  images: { readonly image: Uint8Array; readonly ownImage?: Uint8Array },
  sharedExecutor = openImage(images.image),
): MovingPlaces {
  return movingPlaces({ clock, deadline, migrations: fewTables, sharedExecutor, ...images })
}

interface Failure {
  /** What happens at the first call that fails, and at every later one of the target. */
  readonly call: () => Promise<never>
  /** Whether the mover that makes the first of these calls is killed, and another one takes over. */
  readonly isMoverKilled: boolean
}

const never = () => new Promise<never>(() => undefined)
const failures: Readonly<Record<string, Failure>> = {
  'never answers again': { call: never, isMoverKilled: false },
  'never answers again, nor does its mover': { call: never, isMoverKilled: true },
  'always fails': {
    call: () => Promise.reject(new Error('The database is broken')),
    isMoverKilled: false,
  },
}

interface Breaking {
  readonly world: MoveWorld
  /** Fulfilled at the first call that fails. */
  readonly isBroken: Promise<unknown>
  /** How many of them were made before the switch was. */
  readonly callsBeforeSwitch: () => number
  readonly repair: () => void
}

/** Lets every call of a move's target fail, from one on. */
function breaking({ world }: MovingPlaces, { target }: Move, from: number, failure: Failure): Breaking {
  const name = JSON.stringify(target)
  const { promise: isBroken, resolve: onBroken } = Promise.withResolvers<undefined>()
  let calls = 0
  let callsBeforeSwitch = 0
  let isRepaired = false
  const broken = (place: MovePlace): MovePlace =>
    new Proxy(place, {
      get(real, method, itself) {
        const member: unknown = Reflect.get(real, method, itself)
        if (typeof member !== 'function') return member
        return (...given: readonly unknown[]): unknown => {
          calls += 1
          if (calls < from || isRepaired) return Reflect.apply(member, real, given)
          onBroken(undefined)
          return failure.call()
        }
      },
    })
  return {
    world: {
      ...world,
      places: (place: Place) => {
        const opened = world.places(place)
        return JSON.stringify(place) === name ? broken(opened) : opened
      },
      ledger: {
        ...world.ledger,
        switch: (...given) => {
          callsBeforeSwitch = calls
          return world.ledger.switch(...given)
        },
      },
    },
    isBroken,
    callsBeforeSwitch: () => callsBeforeSwitch,
    repair: () => {
      isRepaired = true
    },
  }
}

/** Works on a move, once a second, until it has ended or a step of it failed. */
async function workOn(world: MoveWorld, moveId: string, time: VirtualTime): Promise<void> {
  await runMove(world, moveId, Infinity, (durationMs) => time.after(durationMs)).catch(() => undefined)
}

/** Gives a move up, and looks once a second, as the command does. Throws when it takes too long. */
async function giveUp(world: MoveWorld, moveId: string, time: VirtualTime): Promise<void> {
  const beganMs = time.clock.nowMs()
  expect(await world.ledger.askAbort(moveId)).toBe(true)
  for (;;) {
    await workOn(world, moveId, time)
    const move = await world.ledger.find(moveId)
    if (move?.endedAt != null) {
      expect(move).toMatchObject({ phase: 'aborted', failure: null })
      return
    }
    const tookMs = time.clock.nowMs() - beganMs
    if (tookMs > BOUND_MS) throw new Error(`The move is ${String(move?.phase)} after ${tookMs} ms`)
    await time.after(1_000)
  }
}

const sources = {
  'the shared database': () => ({ image: shared }),
  'a database of its own': () => placed,
}

/** Breaks the target of a move at one of its calls, and gives the move up. Returns how many calls there were before. */
async function broken(
  images: ReturnType<(typeof sources)[keyof typeof sources]>,
  from: number,
  failure: Failure,
): Promise<{ readonly callsBeforeSwitch: number; readonly phase: string }> {
  const time = virtualTime()
  const places = openPlaces(time, images)
  return time.run(
    (async () => {
      const source = await places.placeOf('acme')
      const before = await contentOf(await movingWriter(places, 'acme', 'acme').reading(), tables, FAMILY)
      const move = await places.open('acme', toOwn)
      const { world, isBroken, callsBeforeSwitch, repair } = breaking(places, move, from, failure)
      // For a process that was killed, no time passes any more.
      const first = failure.isMoverKilled
        ? { ...world, deadline: { after: () => new AbortController().signal } }
        : world
      await Promise.race([workOn(first, move.moveId, time), ...(failure.isMoverKilled ? [isBroken] : [])])
      const phase = (await world.ledger.find(move.moveId))?.phase ?? 'none'
      if (from === Infinity) return { callsBeforeSwitch: callsBeforeSwitch(), phase }
      await giveUp(world, move.moveId, time)
      expect(await places.placeOf('acme')).toEqual(source)
      const writer = movingWriter(places, 'acme', 'acme')
      const home = await writer.reading()
      expect(await contentOf(home, tables, FAMILY)).toEqual(before)
      expect(await writer.write()).toBe(true)
      // The family can move again, and what the broken database holds is deleted once that works.
      repair()
      await time.after(TIDY_MS)
      for (const due of await world.ledger.idle(new Date(time.clock.nowMs()).toISOString(), 10))
        await tidyUp(world, due, Infinity)
      expect(await leftOf(home)).toEqual([])
      const left = openImage(places.own(move.target).image())
      expect((await left.batch([{ sql: 'select 1 from sqlite_master', parameters: [] }]))[0]?.rows).toEqual(
        [],
      )
      return { callsBeforeSwitch: callsBeforeSwitch(), phase }
    })(),
  )
}

describe.each(Object.entries(sources))('a move from %s', (_, images) => {
  test.each(Object.entries(failures))('to a database that %s, is given up', async (_name, failure) => {
    const { callsBeforeSwitch } = await broken(images(), Infinity, failure)
    expect(callsBeforeSwitch).toBeGreaterThan(10)
    const phases = new Set<string>()
    const tried = Array.from({ length: callsBeforeSwitch }, (_call, index) => index + 1)
    for (const from of tried.filter((call) => call % STRIDE === 1 || call === callsBeforeSwitch)) {
      const { phase } = await broken(images(), from, failure).catch((error: unknown) => {
        throw new Error(`broken at call ${from} of ${callsBeforeSwitch}`, { cause: error })
      })
      phases.add(phase)
    }
    expect(phases).toEqual(new Set(['copying', 'switching']))
  })
})
