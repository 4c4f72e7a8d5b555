import { beforeAll, beforeEach, expect, test } from 'vitest'
import { newOrganization } from '../../../domain/operators/organization.ts'
import { advanceMove, runMove, type MoveWorld } from '../../../domain/placement/move/index.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import {
  contentOf,
  movingPlaces,
  toOwn,
  toShared,
  type Interference,
  type MovingPlaces,
} from '../../../test/support/moving/moving.ts'
import { portWith } from '../../../test/support/runner/port-with.ts'
import { movingWriter } from '../../../test/support/moving/moving-writer.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import { fewTables, fewTablesImage } from '../../../test/support/databases/few-tables.ts'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import type { MovedTable } from '../../../ports/placement/move.ts'
import { createStorage, openImage } from '../../node-sqlite/index.ts'
import { readMovedTables } from './moved-tables.ts'

let tables: readonly MovedTable[]
let image: Uint8Array
let interfere: Interference = (call) => call()
let places: MovingPlaces

beforeAll(async () => {
  const database = openImage(fewTablesImage())
  tables = await readMovedTables(database)
  await oddFamily(database, tables, ['acme'], 2)
  image = database.image()
})
beforeEach(() => {
  interfere = (call) => call()
  places = movingPlaces({
    clock: fakeClock(),
    image,
    migrations: fewTables,
    interfere: (call) => interfere(call),
  })
})

test('a pause that a writer has ended refuses the switch, and a later try succeeds', async () => {
  const writer = movingWriter(places, 'acme', 'acme')
  const { moveId } = await places.open('acme', toOwn)
  let broken = 0
  interfere = async (call) => {
    const [found] = await places.shared.batch([{ sql: 'select 1 from write_pauses', parameters: [] }])
    if ((found?.rows.length ?? 0) > 0 && broken === 0) {
      broken += 1
      expect(await writer.write()).toBe(false)
      places.clock.advance(1_001)
      expect(await writer.write()).toBe(true)
    }
    return call()
  }
  expect(await places.finish(moveId)).toMatchObject({ phase: 'done', tries: 1 })
  expect(broken).toBe(1)
  const own = places.own(await places.placeOf('acme')).serving
  const [contacts] = await own.batch([
    { sql: `select 1 from contacts where contact_id = 'written-2'`, parameters: [] },
  ])
  expect(contacts?.rows).toHaveLength(1)
})

test('rows that the target loses while it is compared are in the family’s place in the end', async () => {
  const before = await contentOf(places.shared, tables, ['acme'])
  const { moveId } = await places.open('acme', toOwn)
  const own = places.world.places({
    kind: 'own',
    familyId: 'acme',
    generation: 1,
    region: null,
    jurisdiction: null,
  })
  let isLosing = false
  interfere = async (call) => {
    const result = await call()
    if (isLosing) return result
    isLosing = true
    const state = await own.state(moveId).catch(() => null)
    const table = tables.find(({ name }) => name === 'contacts')
    if (state !== null && table !== undefined && state.progress.includes('"pass":"compare"')) {
      const span = { from: null, to: null }
      const { rows } = await own.readSpan(moveId, table, span, 10)
      const deletes = rows.map((row) => row.slice(0, table.key.length))
      await own.write(moveId, state.version, state.progress, [{ table, deletes, inserts: [] }])
    }
    isLosing = false
    return result
  }
  for (let step = 0; step < 60; step += 1) await advanceMove(places.world, moveId, 'one')
  interfere = (call) => call()
  const ended = await places.finish(moveId)
  expect(['aborted', 'done']).toContain(ended.phase)
  const home = await places.placeOf('acme')
  const serving = home.kind === 'own' ? places.own(home).serving : places.shared
  expect(await contentOf(serving, tables, ['acme'])).toEqual(before)
})

test('a move to a database that shows other rows than were written to it is given up', async () => {
  const move = await places.open('acme', toOwn)
  const world: MoveWorld = {
    ...places.world,
    places(place) {
      const real = places.world.places(place)
      if (place.kind === 'shared') return real
      return portWith(real, {
        async readSpan(moveId, table, ...given) {
          const found = await real.readSpan(moveId, table, ...given)
          const at = table.name === 'contacts' ? table.columns.indexOf('first_name') : -1
          return { ...found, rows: found.rows.map((row) => (at === -1 ? row : row.with(at, 'other'))) }
        },
      })
    },
  }
  let rests = 0
  const ended = await runMove(world, move.moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
    if ((rests += 1) > 1_000) throw new Error('The move goes on and on')
  })
  expect(ended).toMatchObject({
    phase: 'aborted',
    failure: 'Copied rows were found different again and again.',
  })
  expect(await places.placeOf('acme')).toEqual({ kind: 'shared' })
})

test('a move that is given up at the last moment does not switch', async () => {
  const { moveId } = await places.open('acme', toOwn)
  const { ledger } = places.world
  const world: MoveWorld = {
    ...places.world,
    ledger: {
      ...ledger,
      async switch(move, now) {
        expect(await ledger.askAbort(moveId)).toBe(true)
        return ledger.switch(move, now)
      },
    },
  }
  const ended = await runMove(world, moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
  })
  expect(ended).toMatchObject({ phase: 'aborted' })
  expect(await places.placeOf('acme')).toEqual({ kind: 'shared' })
})

test('a switch ends the pauses of its own move alone, and operators see how long they took', async () => {
  const pauses = async () => (await places.shared.batch([readPauses]))[0]?.rows
  const readPauses = { sql: 'select organization_id as id, token from write_pauses', parameters: [] }
  await places.shared.batch([
    { sql: "insert into write_pauses values ('stranger', 'another move', '2099')", parameters: [] },
  ])
  const { moveId } = await places.open('acme', toOwn)
  interfere = async (call) => {
    if (((await pauses())?.length ?? 0) > 1) places.clock.advance(10)
    return call()
  }
  const ended = await runMove(places.world, moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
  })
  expect(ended).toMatchObject({ phase: 'done', shown: { tables: tables.length } })
  expect(ended?.shown?.pausedMs).toBeGreaterThan(0)
  expect(await pauses()).toEqual([{ id: 'stranger', token: 'another move' }])
})

test('a switch whose answer was lost is not made again', async () => {
  const { moveId } = await places.open('acme', toOwn)
  const { ledger } = places.world
  const rename = (name: string) => ({
    sql: `update placed_slugs set slug = '${name}' where organization_id = 'acme'`,
    parameters: [],
  })
  const world: MoveWorld = {
    ...places.world,
    ledger: {
      ...ledger,
      async switch(move, now) {
        const switched = await ledger.switch(move, now)
        expect(switched).toMatchObject({ phase: 'switched' })
        // Meanwhile the organization changes in its new place.
        await places.shared.batch([rename('renamed')])
        expect(await ledger.switch(move, now)).toBeNull()
        return switched
      },
    },
  }
  const ended = await runMove(world, moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
  })
  expect(ended).toMatchObject({ phase: 'done' })
  const [slugs] = await places.shared.batch([{ sql: 'select slug from placed_slugs', parameters: [] }])
  expect(slugs?.rows).toEqual([{ slug: 'renamed' }])
})

test('the shared database takes writes from the switch on, whenever the old place is closed', async () => {
  await places.move('acme', toOwn)
  const { moveId } = await places.open('acme', toShared)
  const writer = movingWriter(places, 'acme', 'acme')
  const { ledger } = places.world
  let switches = 0
  const world: MoveWorld = {
    ...places.world,
    ledger: {
      ...ledger,
      async switch(...given) {
        const switched = await ledger.switch(...given)
        expect(await writer.write()).toBe(true)
        // Made again after the source is closed, it would pause the writes again.
        expect(await ledger.switch(...given)).toBeNull()
        switches += 1
        return switched
      },
    },
  }
  const ended = await runMove(world, moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
  })
  expect([ended?.phase, switches]).toEqual(['done', 1])
  expect(await writer.write()).toBe(true)
})

test('while a family moves, no organization leaves it or comes to it', async () => {
  const { moveId } = await places.open('acme', toOwn)
  await advanceMove(places.world, moveId, 'one')
  const sql = `update organizations set parent_id = 'other' where organization_id = 'acme'`
  await expect(places.shared.batch([{ sql, parameters: [] }])).rejects.toThrow('placement: moving')
})

test('every table either moves or is named among those that stay', async () => {
  const { stayingTables } = await import('./moved-tables.ts')
  const sql = `select name from sqlite_master where type = 'table' and name not glob 'sqlite_*'
    and name <> 'applied_migrations'`
  const whole = openImage(migratedImage())
  const [found] = await whole.batch([{ sql, parameters: [] }])
  const all = (found?.rows ?? []).map(({ name }) => String(name)).sort()
  expect(
    [...(await readMovedTables(whole)).map(({ name }) => name), ...Object.keys(stayingTables)].sort(),
  ).toEqual(all)
})

test('a writer that has ended the pause of a database of the family’s own refuses the switch, though it changed nothing', async () => {
  await places.move('acme', toOwn)
  const own = places.own(await places.placeOf('acme')).serving
  const { moveId } = await places.open('acme', toShared)
  let ended = 0
  const world: MoveWorld = {
    ...places.world,
    places(place) {
      const found = places.world.places(place)
      return {
        ...found,
        async seal(journalId, token) {
          if (ended === 0) {
            places.clock.advance(1_001)
            await own.batch([{ sql: `delete from contacts where contact_id = 'nobody'`, parameters: [] }])
          }
          ended += 1
          return found.seal(journalId, token)
        },
      }
    },
  }
  const move = await runMove(world, moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
  })
  expect([move?.phase, move?.tries, ended]).toEqual(['done', 1, 2])
})

test('a move that is given up lets writes in again, though an attempt to switch sealed the source and its mover died twice', async () => {
  await places.move('acme', toOwn)
  const writer = movingWriter(places, 'acme', 'acme')
  const { moveId } = await places.open('acme', toShared)
  const { ledger } = places.world
  const die = () => Promise.reject(new Error('The mover died'))
  const dying: MoveWorld = {
    ...places.world,
    ledger: { ...ledger, switch: die },
    places: (place) => ({ ...places.world.places(place), resume: die }),
  }
  let deaths = 0
  while (deaths < 2) {
    places.clock.advance(61_000)
    await advanceMove(dying, moveId, 'one').catch(() => (deaths += 1))
  }
  expect(await ledger.find(moveId)).toMatchObject({ phase: 'copying', token: expect.any(String) as string })
  expect(await writer.write()).toBe(false)
  expect(await ledger.askAbort(moveId)).toBe(true)
  expect(await places.finish(moveId)).toMatchObject({ phase: 'aborted' })
  expect(await writer.write()).toBe(true)
})

test('while a family moves, an organization of another family may leave its parent', async () => {
  // An organization is saved with more tables than the few.
  const database = openImage(migratedImage())
  await oddFamily(database, await readMovedTables(database), ['acme'], 1)
  places = movingPlaces({ clock: fakeClock(), image: database.image() })
  const { administration } = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  await administration.saveOrganization(newOrganization('shop', 'Shop'))
  const branch = newOrganization('branch', 'Branch')
  await administration.saveOrganization({ ...branch, parentId: 'shop' })
  const { moveId } = await places.open('acme', toOwn)
  await advanceMove(places.world, moveId, 'one')
  expect(await administration.saveOrganization(branch)).toBe('saved')
  expect(await administration.findOrganization('branch')).toMatchObject({ parentId: null })
})
