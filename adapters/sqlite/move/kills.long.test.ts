import { beforeAll, describe, expect, test } from 'vitest'
import { ElsewhereError } from '../../../domain/placement/find/errors.ts'
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
import { movingWriter, type MovingWriter } from '../../../test/support/moving/moving-writer.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import type { MovedTable } from '../../../ports/placement.ts'
import { openImage } from '../../node-sqlite/index.ts'
import { readMovedTables } from './moved-rows.ts'
import { thorough } from '../../../test/support/runner/thorough.ts'

/**
 * Only every twelfth call is killed here, because killing at every call takes half a minute. CI does that
 * (.ci/nightly).
 */
const stride = Number(process.env.MOVE_KILLS_STRIDE ?? thorough(1, 12))
/** Decides the first call that is killed. */
const seed = Number(process.env.MOVE_KILLS_SEED ?? 3)

const FAMILY = ['acme']

let tables: readonly MovedTable[]
let shared: Uint8Array
let placed: { readonly image: Uint8Array; readonly ownImage: Uint8Array }

beforeAll(async () => {
  const database = openImage(fewTablesImage())
  tables = await readMovedTables(database)
  await oddFamily(database, tables, FAMILY, 2)
  await oddFamily(database, tables, ['stranger'], 1)
  shared = database.image()
  const places = movingPlaces({
    clock: fakeClock(),
    image: shared,
    migrations: fewTables,
    sharedExecutor: database,
  })
  await places.move('acme', toOwn)
  const own = places.own(await places.placeOf('acme'))
  placed = { image: database.image(), ownImage: own.image() }
})

/**
 * A process that dies at one of its calls: that call takes effect, but its answer is lost, and no further call is made.
 * Death before a call is the same as death after the previous call.
 */
function mortal(diesAt: number, beside: () => Promise<unknown>) {
  const process = { calls: 0, isDead: false }
  const interfere: Interference = async (call) => {
    if (process.isDead) throw new Error('killed')
    process.calls += 1
    const isLast = process.calls === diesAt
    process.isDead = isLast
    const result = await call()
    if (process.calls % 4 === 0) await beside()
    if (isLast) throw new Error('killed')
    return result
  }
  return { process, interfere, revive: () => Object.assign(process, { isDead: false, calls: Number.NaN }) }
}

const sides = {
  'to a database of its own': () => ({ image: shared, target: toOwn }),
  'to the shared database': () => ({ ...placed, target: toShared }),
  'from one database of its own to another': () => ({ ...placed, target: toOwn }),
}

/**
 * Moves a family, kills the move at a call, and ends it in another process. Returns how many calls the first process
 * made.
 */
async function killed(
  { target, ...images }: ReturnType<(typeof sides)[keyof typeof sides]>,
  diesAt: number,
  isAborted: boolean,
): Promise<number> {
  let writer: MovingWriter | null = null
  const { process, interfere, revive } = mortal(diesAt, async () => writer?.write())
  const places = movingPlaces({ clock: fakeClock(), migrations: fewTables, interfere, ...images })
  const place = await places.placeOf('acme')
  const source = place.kind === 'own' ? places.own(place).serving : places.shared
  const before = await contentOf(source, tables, FAMILY)
  writer = movingWriter(places, 'acme', 'acme')
  await places.move('acme', target).catch((error: unknown) => {
    if (!process.isDead) throw error
  })
  const { calls } = process
  revive()
  // Wherever the process was killed, the family is read in one place, and writes stay paused only while a process works
  // on the move.
  await writer.reading()
  const [move] = await movesOf(places)
  if (move !== undefined) {
    if (isAborted) await places.world.ledger.askAbort(move)
    const ended = await places.finish(move)
    if (!isAborted) expect(ended.phase).toBe('done')
    expect(ended.failure).toBeNull()
  }
  await expectWhole(places, writer, before)
  return calls
}

async function movesOf({ shared: database }: MovingPlaces): Promise<readonly string[]> {
  const sql = `select move_id from moves where ended_at is null`
  const [found] = await database.batch([{ sql, parameters: [] }])
  return (found?.rows ?? []).map((row) => String(row.move_id))
}

/** The family is in one place, with everything that was acknowledged, and nothing is left anywhere else. */
async function expectWhole(
  places: MovingPlaces,
  writer: MovingWriter,
  before: Awaited<ReturnType<typeof contentOf>>,
): Promise<void> {
  expect(await writer.write()).toBe(true)
  const reading = await writer.reading()
  const after = await contentOf(reading, tables, FAMILY)
  const contacts = (after.contacts ?? []).filter((row) => row.includes('"written-'))
  expect(
    contacts.map((row) => String((JSON.parse(row) as Record<string, unknown>).contact_id)).sort(),
  ).toEqual([...writer.acknowledged].sort())
  const others = (after.contacts ?? []).filter((row) => !row.includes('"contact_id":"written-'))
  // The trigger has fired once for each contact: when the contact was written, and not when it was copied.
  const tallied = (before.sites ?? []).map((row) => {
    const site = JSON.parse(row) as { readonly name: string; readonly updated_at: string }
    const changed = writer.inserted() === 0 ? site.updated_at : 'changed'
    return JSON.stringify({ ...site, name: site.name + '!'.repeat(writer.inserted()), updated_at: changed })
  })
  const sites = (after.sites ?? []).map((row) => {
    const site = JSON.parse(row) as { readonly updated_at: string }
    return writer.inserted() === 0 ? row : JSON.stringify({ ...site, updated_at: 'changed' })
  })
  expect({ ...after, contacts: others, removals: before.removals, sites: sites.toSorted() }).toEqual({
    ...before,
    sites: tallied.sort(),
  })
  await places.tidy()
  const place = await places.placeOf('acme')
  for (const { serving, generation } of places.owned()) {
    if (place.kind === 'own' && place.generation === generation) expect(await leftOf(serving)).toEqual([])
    else await expect(leftOf(serving)).rejects.toThrow(ElsewhereError)
  }
  expect(await leftOf(places.shared)).toEqual([])
  if (place.kind === 'own') {
    expect(Object.values(await contentOf(places.shared, tables, FAMILY)).flat()).toEqual([])
  }
}

describe.each(Object.entries(sides))('a move %s', (_, images) => {
  test.each([
    ['goes on when it was killed', false],
    ['is given up when it was killed', true],
  ])('%s at any of its calls', async (_name, isAborted) => {
    const whole = await killed(images(), Infinity, false)
    expect(whole).toBeGreaterThan(30)
    for (let call = 1 + (seed % stride); call <= whole; call += stride) {
      await killed(images(), call, isAborted).catch((error: unknown) => {
        throw new Error(`killed at call ${call} of ${whole}`, { cause: error })
      })
    }
  })
})
