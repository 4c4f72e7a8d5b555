import { beforeAll, beforeEach, expect, test } from 'vitest'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { MovingError } from '../../../domain/placement/find/errors.ts'
import { advanceMove, runMove } from '../../../domain/placement/move/advance.ts'
import type { MoveWorld } from '../../../domain/placement/move/world.ts'
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
import type { MovedTable } from '../../../ports/placement.ts'
import { createStorage, openImage } from '../../node-sqlite/index.ts'
import { readMovedTables } from './moved-rows.ts'

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
      places.clock.advance(2_001)
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

test('rows that the target loses while it is filled are in it in the end', async () => {
  const before = await contentOf(places.shared, tables, ['acme'])
  const { moveId } = await places.open('acme', toOwn)
  await advanceMove(places.world, moveId, 'one')
  const own = { kind: 'own', familyId: 'acme', generation: 1, region: null, jurisdiction: null } as const
  const table = tables.find(({ name }) => name === 'contacts')
  if (table === undefined) throw new Error('There are no contacts')
  const target = places.world.places(own)
  const all = { table, organizationId: 'acme', since: null, after: null, rowsMax: 10 }
  const [page] = await target.read([all])
  const gone = (page?.rows ?? []).map((row) => row.slice(0, table.key.length))
  expect(gone).not.toEqual([])
  expect(await target.write(moveId, 'one', [{ table, gone, rows: [] }])).toBe('written')
  expect(await places.finish(moveId)).toMatchObject({ phase: 'done', tries: 1 })
  const home = places.own(await places.placeOf('acme')).serving
  expect(await contentOf(home, tables, ['acme'])).toEqual(before)
})

test('a move to a database that counts other rows than were written to it is given up', async () => {
  const move = await places.open('acme', toOwn)
  const world: MoveWorld = {
    ...places.world,
    places(place) {
      const real = places.world.places(place)
      if (place.kind === 'shared') return real
      return portWith(real, { counts: async () => [] })
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

test('a difference after the switch is told, and the old place keeps its rows', async () => {
  const before = await contentOf(places.shared, tables, ['acme'])
  const { moveId } = await places.open('acme', toOwn)
  const { ledger } = places.world
  const world: MoveWorld = {
    ...places.world,
    ledger: {
      ...ledger,
      async switch(...given) {
        const switched = await ledger.switch(...given)
        const own = await places.placeOf('acme')
        await places.own(own).change("delete from sites where organization_id = 'acme'")
        return switched
      },
    },
  }
  const ended = await runMove(world, moveId, Infinity, async (durationMs) => {
    places.clock.advance(durationMs)
  })
  expect(ended).toMatchObject({ phase: 'done', notBefore: null })
  expect(ended?.failure).toMatch(/^Rows of sites are not in the new place/)
  await places.tidy()
  expect(await contentOf(places.shared, tables, ['acme'])).toEqual(before)
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
  expect(ended).toMatchObject({ phase: 'done', shown: { tables: expect.any(Number) as number } })
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

test('every table either moves or is named among those that stay', async () => {
  const { stayingTables } = await import('./moved-rows.ts')
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
        async seal(familyId, token) {
          if (ended === 0) {
            places.clock.advance(2_001)
            await own.batch([{ sql: `delete from contacts where contact_id = 'nobody'`, parameters: [] }])
          }
          ended += 1
          return found.seal(familyId, token)
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

test('while a family moves, no organization comes to it, but one of another family may leave its parent', async () => {
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
  const joining = administration.saveOrganization({ ...branch, parentId: 'acme' })
  await expect(joining).rejects.toThrow(MovingError)
  expect(await administration.findOrganization('branch')).toMatchObject({ parentId: null })
})
