import { beforeAll, describe, expect, test } from 'vitest'
import { advanceMove, tidyUp } from '../../../domain/placement/move/advance.ts'
import type { MoveWorld } from '../../../domain/placement/move/world.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Move, MovedTable, PlaceChoice } from '../../../ports/placement.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { fewTables, fewTablesImage } from '../../../test/support/databases/few-tables.ts'
import {
  contentOf,
  leftOf,
  movingPlaces,
  toOwn,
  toShared,
  type Interference,
  type MovingPlaces,
} from '../../../test/support/moving/moving.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import { openImage } from '../../node-sqlite/index.ts'
import { readMovedTables } from './moved-rows.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const FAMILY = ['acme']

let tables: readonly MovedTable[]
let image: Uint8Array
beforeAll(async () => {
  const database = openImage(fewTablesImage())
  tables = await readMovedTables(database)
  await oddFamily(database, tables, FAMILY, 2)
  image = database.image()
})

/** What moves left in the databases, in whatever state they are. An object that was emptied has no tables. */
async function tracesOf(places: MovingPlaces): Promise<readonly unknown[]> {
  const executors = [places.shared, ...places.owned().map((own) => openImage(own.image()))]
  const traces = executors.map(async (executor) => {
    const [found] = await executor.batch([{ sql: 'select 1 from sqlite_master', parameters: [] }])
    return found?.rows.length === 0 ? [] : leftOf(executor)
  })
  return (await Promise.all(traces)).flat()
}

/** Tidies up after every move that is due for it. @returns their ids */
async function sweep({ world, clock }: MovingPlaces): Promise<readonly string[]> {
  const due = await world.ledger.idle(toInstant(clock.nowMs()), 20)
  for (const move of due) await tidyUp(world, move, Infinity)
  return due.map(({ moveId }) => moveId)
}

/** Calls of a mover that fell behind: they arrive after the move has ended. */
async function arriveLate({ world }: MovingPlaces, move: Move): Promise<void> {
  const target = world.places(move.target)
  await target.begin(move.moveId, 'late').catch(() => undefined)
}

const routes: readonly (readonly [string, readonly PlaceChoice[]])[] = [
  ['from the shared database to one of its own', [toOwn]],
  ['from its own database to the shared one', [toOwn, toShared]],
  ['from its own database to another one', [toOwn, toOwn]],
]

describe.each(routes)('late calls of a move %s', (_, route) => {
  test.each(['done', 'aborted'] as const)('that is %s leave nothing', async (phase) => {
    const places = movingPlaces({ clock: fakeClock(), image, migrations: fewTables, rowsMax: 1 })
    const before = await contentOf(places.shared, tables, FAMILY)
    const [target = toOwn, ...earlier] = [...route].reverse()
    for (const choice of earlier) await places.move('acme', choice)
    const { moveId } = await places.open('acme', target)
    if (phase === 'aborted') {
      // It has copied rows, which are deleted step by step before it ends.
      await advanceMove(places.world, moveId, 'mover')
      await places.world.ledger.askAbort(moveId)
    }
    const move = await places.finish(moveId)
    expect(move.phase).toBe(phase)

    await arriveLate(places, move)
    // What is left of a move that was given up goes a quarter of an hour later, what the source keeps a day later.
    places.clock.advance((phase === 'aborted' ? 15 : 24 * 60) * MINUTE_MS - MINUTE_MS)
    expect(await sweep(places)).not.toContain(moveId)
    places.clock.advance(MINUTE_MS)
    expect(await sweep(places)).toContain(moveId)
    places.clock.advance(DAY_MS)
    while ((await sweep(places)).length > 0);
    expect(await tracesOf(places)).toEqual([])

    const place = await places.placeOf('acme')
    const home = place.kind === 'shared' ? places.shared : places.own(place).serving
    expect(await contentOf(home, tables, FAMILY)).toEqual(before)
  })
})

test('the triggers and notes of a move that the version 1.0.0 began go when it is given up', async () => {
  const places = movingPlaces({ clock: fakeClock(), image, migrations: fewTables })
  const { moveId } = await places.open('acme', toOwn)
  const journal = `${moveId}b4d1`
  const earlier = [
    `insert into move_organizations (move_id, organization_id) values ('${journal}', 'acme')`,
    `insert into move_journal (journal_id, table_name, key) values ('${journal}', 'sites', '["acme","s"]')`,
    `create trigger move_${journal}_sites_deleted after delete on sites begin
      insert into move_journal (journal_id, table_name, key) values ('${journal}', 'sites', '[]'); end`,
    `update moves set abort_asked = 1 where move_id = '${moveId}'`,
  ]
  await places.shared.batch(earlier.map((sql) => ({ sql, parameters: [] })))
  expect(await leftOf(places.shared)).toHaveLength(3)
  expect(await places.finish(moveId)).toMatchObject({ phase: 'aborted' })
  expect(await leftOf(places.shared)).toEqual([])
})

test('a database that fails is tried again every fifteen minutes, for a day', async () => {
  let interfere: Interference = (call) => call()
  const places = movingPlaces({
    clock: fakeClock(),
    image,
    migrations: fewTables,
    interfere: (call) => interfere(call),
  })
  const { moveId } = await places.open('acme', toOwn)
  await places.world.ledger.askAbort(moveId)
  const move = await places.finish(moveId)
  await arriveLate(places, move)
  places.clock.advance(15 * MINUTE_MS)

  let calls = 0
  interfere = (call) => {
    calls += 1
    // The calls of the ledger work: those that list the moves, and note the next try.
    return calls <= 2 ? call() : Promise.reject(new Error('The database is broken'))
  }
  const failingSweep = async () => {
    calls = 0
    return sweep(places).then(
      (ids) => ids.length,
      () => 'failed',
    )
  }
  for (let passedMs = 15 * MINUTE_MS; passedMs <= DAY_MS; passedMs += 15 * MINUTE_MS) {
    expect(await failingSweep()).toBe('failed')
    places.clock.advance(14 * MINUTE_MS)
    expect(await failingSweep()).toBe(0)
    places.clock.advance(MINUTE_MS)
  }
  expect(await failingSweep()).toBe('failed')
  places.clock.advance(DAY_MS)
  expect(await failingSweep()).toBe(0)
})

test('a tidy-up in which either place fails is made again fifteen minutes later', async () => {
  const places = movingPlaces({ clock: fakeClock(), image, migrations: fewTables })
  const { moveId } = await places.move('acme', toOwn)
  places.clock.advance(DAY_MS)
  for (const failing of ['shared', 'own']) {
    const move = await places.world.ledger.find(moveId)
    if (move === null) throw new Error('There is no such move')
    const world: MoveWorld = {
      ...places.world,
      places(place) {
        const found = places.world.places(place)
        const broken = () => Promise.reject(new Error('The database is broken'))
        return place.kind === failing ? { ...found, empty: broken, forget: broken } : found
      },
    }
    await expect(tidyUp(world, move, Infinity)).rejects.toThrow('The database is broken')
    expect(await sweep(places)).toEqual([])
    places.clock.advance(15 * MINUTE_MS)
  }
  expect(await sweep(places)).toEqual([moveId])
  expect(await tracesOf(places)).toEqual([])
})

test('what is tidied up after a move that was given up is not the database of the move after it', async () => {
  const places = movingPlaces({ clock: fakeClock(), image, migrations: fewTables })
  const before = await contentOf(places.shared, tables, FAMILY)
  const { moveId } = await places.open('acme', toOwn)
  await places.world.ledger.askAbort(moveId)
  expect(await places.finish(moveId)).toMatchObject({ phase: 'aborted', target: { generation: 1 } })
  expect(await places.move('acme', toOwn)).toMatchObject({ phase: 'done', target: { generation: 2 } })
  places.clock.advance(15 * MINUTE_MS)
  expect(await sweep(places)).toContain(moveId)
  const own = places.own(await places.placeOf('acme')).serving
  expect(await contentOf(own, tables, FAMILY)).toEqual(before)
})
