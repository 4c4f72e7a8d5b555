import { expect, test } from 'vitest'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { PausedError } from '../../../domain/placement/find/errors.ts'
import { fakeClock, seededRandom } from '../../../test/support/runner/fakes.ts'
import { contentOf, movingPlaces, toOwn, toShared } from '../../../test/support/moving/moving.ts'
import { drawWrite } from '../../../test/support/moving/random-writes.ts'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import type { Storage } from '../../../ports/storage.ts'
import { createStorage } from '../index.ts'
import { readMovedTables } from './moved-rows.ts'
import { thorough } from '../../../test/support/runner/thorough.ts'

const FAMILY = ['root', 'child', 'late'] as const

/** One test for each seed takes most of a second; .ci/nightly asks for more. */
const seeds = Array.from(
  { length: Number(process.env.MOVE_SEEDS ?? thorough(10, 1)) },
  (_, index) => index + 1,
)

// The same writes go to a storage that never moves. At the end both hold the same bytes, including every count that a
// trigger keeps, every clock and every lease.
test.each(seeds)(
  'what is written through the ports while a family moves there and back arrives: seed %s',
  async (seed) => {
    const clock = fakeClock()
    const reference = createScratchStorage({ clock })
    const tables = await readMovedTables(reference.database)
    let draw = 0
    let calls = 0
    let isWriting = false
    let write: (() => Promise<void>) | null = null
    const places = movingPlaces({
      clock,
      image: migratedImage(),
      rowsMax: 5,
      interfere: async (call) => {
        calls += 1
        if (!isWriting && calls % 3 === 0) {
          isWriting = true
          await write?.()
          isWriting = false
        }
        return call()
      },
    })
    const home = async (): Promise<Storage> => {
      const place = await places.placeOf('root')
      return place.kind === 'own'
        ? createStorage({ executor: places.own(place).serving, clock })
        : createStorage({ executor: places.shared, clock, isShared: true })
    }
    const family: [string, ...string[]] = ['root', 'child']
    const addOrganization = async (organizationId: string, parentId: string | null) => {
      const organization = { ...newOrganization(organizationId, 'Test'), parentId }
      for (const storage of [await home(), reference])
        await storage.administration.saveOrganization(organization)
    }
    await addOrganization('root', null)
    await addOrganization('child', 'root')
    await addOrganization('stranger', null)
    const writeBoth = async () => {
      // More than a move has moved the clocks on meanwhile, so that both databases write the same instants.
      clock.advance(20)
      draw += 1
      const isSame = seededRandom(seed * 1_000 + draw)
      const again = seededRandom(seed * 1_000 + draw)
      try {
        await drawWrite(isSame, clock, family, draw)(await home())
      } catch (error) {
        if (error instanceof PausedError) return
        throw error
      }
      await drawWrite(again, clock, family, draw)(reference)
    }
    for (let first = 0; first < 120; first += 1) await writeBoth()
    write = writeBoth
    const shared = await places.move('root', toOwn)
    expect(shared).toMatchObject({ phase: 'done', failure: null })
    write = null
    // A child that is added while the family has a database of its own moves back with the family.
    await addOrganization('late', 'root')
    family.push('late')
    write = writeBoth
    expect(await places.move('root', toShared)).toMatchObject({ phase: 'done', failure: null })
    write = null

    const [moved, unmoved] = [
      await contentOf(places.shared, tables, FAMILY),
      await contentOf(reference.database, tables, FAMILY),
    ]
    expect(moved).toEqual(unmoved)
    expect(draw).toBeGreaterThan(300)
  },
)
