import { beforeAll, describe, expect, test } from 'vitest'
import { createPlaceMemory } from '../../../domain/placement/find/at-place.ts'
import { createPlacedStorage, type PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { lineLog } from '../../../host-worker/system.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { tenantKey } from '../../conformance/fixtures.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import { fewTables, fewTablesImage } from '../../../test/support/databases/few-tables.ts'
import {
  movingPlaces,
  toOwn,
  toShared,
  type Interference,
  type MovingPlaces,
} from '../../../test/support/moving/moving.ts'
import { createObjectStorage } from '../../durable-object/index.ts'
import { openImage } from '../../node-sqlite/index.ts'
import { createPlaceDirectory, createStorage } from '../index.ts'
import { readMovedTables } from './moved-rows.ts'

// Whoever reads after a write was acknowledged reads it, in every isolate: also one that remembers the place which the
// family has just left, and also while the mover is dead, for however long.

const HOUR_MS = 3_600_000
const claim = { organizationId: 'acme', keyId: 'key-acme', hashes: ['hash of key-acme'] } as const

let sharedImage: Uint8Array
let placed: { readonly image: Uint8Array; readonly ownImage: Uint8Array }

beforeAll(async () => {
  const database = openImage(fewTablesImage())
  const clock = fakeClock()
  const { administration } = createStorage({ executor: database, clock, isShared: true })
  await oddFamily(database, await readMovedTables(database), ['acme'], 1)
  await administration.addKey(tenantKey('acme', 'key-acme'))
  sharedImage = database.image()
  const places = movingPlaces({ clock, image: sharedImage, migrations: fewTables, sharedExecutor: database })
  await places.move('acme', toOwn)
  placed = { image: database.image(), ownImage: places.own(await places.placeOf('acme')).image() }
})

const routes = {
  'to a database of its own': () => ({ images: { image: sharedImage }, target: toOwn }),
  'to the shared database': () => ({ images: placed, target: toShared }),
  'from one database of its own to another': () => ({ images: placed, target: toOwn }),
}

/** The service as an isolate that remembers no places yet. */
function isolateOf(places: MovingPlaces): PlacedStorage {
  const { clock, shared } = places
  const log = lineLog(() => undefined)
  const parts = {
    directory: createPlaceDirectory(shared, clock),
    memory: createPlaceMemory(),
    storageAt: (place: Parameters<MovingPlaces['own']>[0], isConfirmed: boolean) =>
      place.kind === 'shared'
        ? createStorage({ executor: shared, clock, isShared: true })
        : createObjectStorage({ namespace: places.own(place).direct, place, isConfirmed, clock }),
    databases: null,
    noteWork: () => undefined,
    clock,
    // A pause of writes is not waited for: the test asks again.
    deadline: { after: () => AbortSignal.abort() },
  }
  return createPlacedStorage(parts, log)
}

const isLetIn = async ({ keyed }: PlacedStorage) => (await keyed.open(claim).read([])).authenticated

interface Route {
  readonly images: { readonly image: Uint8Array; readonly ownImage?: Uint8Array }
  readonly target: PlaceChoice
}

/** How many calls before and after the one that switches are tried: all those in which the source may be sealed. */
const BEFORE = 4
const AFTER = 2

/**
 * Kills the mover of a family at one of its calls; an hour later, a key is revoked. Nobody takes the move up.
 * @param readFrom the call from which on two isolates read beside each call
 * @returns the number of the call that switched, and whether the revocation was acknowledged
 */
async function killedAt(diesAt: number, readFrom: number, { images, target }: Route) {
  const process = { calls: 0, isDead: false, switchedAt: 0 }
  let beside: () => Promise<void> = async () => undefined
  const interfere: Interference = async (call) => {
    if (process.isDead) throw new Error('killed')
    process.calls += 1
    process.isDead = process.calls === diesAt
    const result = await call()
    if (process.switchedAt === 0 && (await hasMoved())) process.switchedAt = process.calls
    if (process.calls >= readFrom) await beside()
    if (process.isDead) throw new Error('killed')
    return result
  }
  const clock = fakeClock()
  const places = movingPlaces({ clock, migrations: fewTables, interfere, ...images })
  const before = JSON.stringify(await places.placeOf('acme'))
  const hasMoved = async () => JSON.stringify(await places.placeOf('acme')) !== before
  const [known, stale] = [isolateOf(places), isolateOf(places)]
  for (const isolate of [known, stale]) expect(await isLetIn(isolate)).toBe(true)
  beside = async () => {
    expect([await isLetIn(known), await isLetIn(isolateOf(places))]).toEqual([true, true])
  }
  await places.move('acme', target).catch((error: unknown) => {
    if (!process.isDead) throw error
  })
  clock.advance(HOUR_MS)
  const isRevoked = await isolateOf(places)
    .administration.revokeKey('key-acme', '2026-06-15T12:00:00.000Z')
    .catch(() => false)
  // One isolate has read nothing since before the move, one has read at each of its last calls, and one knows nothing.
  for (const isolate of [stale, known, isolateOf(places)]) expect(await isLetIn(isolate)).toBe(!isRevoked)
  return { switchedAt: process.switchedAt, isRevoked }
}

describe.each(Object.entries(routes))('while a family moves %s', (_, route) => {
  test('nobody reads what is outdated, and reads never stop, whichever call its mover dies at', async () => {
    const { switchedAt, isRevoked } = await killedAt(Infinity, Infinity, route())
    expect([switchedAt > BEFORE, isRevoked]).toEqual([true, true])
    for (let call = switchedAt - BEFORE; call <= switchedAt + AFTER; call += 1)
      await killedAt(call, switchedAt - BEFORE, route()).catch((error: unknown) => {
        throw new Error(`killed at call ${call}, where ${switchedAt} switches`, { cause: error })
      })
  })
})
