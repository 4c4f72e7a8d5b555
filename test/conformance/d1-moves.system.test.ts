import { expect, test } from 'vitest'
import { createExecutor } from '../../adapters/d1/index.ts'
import { openImage } from '../../adapters/node-sqlite/index.ts'
import { readMovedTables } from '../../adapters/sqlite/move/moved-rows.ts'
import { afterFile } from '../support/runner/after-file.ts'
import { fakeClock } from '../support/runner/fakes.ts'
import { contentOf, movingPlaces, toOwn, toShared } from '../support/moving/moving.ts'
import { oddFamily } from '../support/data/odd-rows.ts'
import { migratedImage } from '../support/databases/migrated-image.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'

const FAMILY = ['acme']
const OTHERS = ['acme-2']

// A move reads the schema, and has batches refused. D1 could allow less of this than SQLite.
test('a family of odd rows moves from D1 and back', async () => {
  const clock = fakeClock()
  const origin = openImage(migratedImage())
  const tables = await readMovedTables(origin)
  await oddFamily(origin, tables, FAMILY, 3)
  await oddFamily(origin, tables, OTHERS, 2)
  const databases = await openSharedD1(1, origin.image())
  afterFile(() => void databases.dispose())
  const shared = createExecutor({ database: await databases.next(), clock })
  const places = movingPlaces({
    clock,
    image: migratedImage(),
    sharedExecutor: shared,
  })
  const before = await contentOf(origin, tables, FAMILY)
  const others = await contentOf(origin, tables, OTHERS)

  expect(await places.move('acme', toOwn)).toMatchObject({ phase: 'done', failure: null, tries: 0 })
  const place = await places.placeOf('acme')
  expect(await contentOf(places.own(place).serving, tables, FAMILY)).toEqual(before)
  expect(await contentOf(shared, tables, FAMILY)).toEqual(before)
  await places.tidy()
  expect(Object.values(await contentOf(shared, tables, FAMILY)).flat()).toEqual([])

  expect(await places.move('acme', toShared)).toMatchObject({ phase: 'done', failure: null, tries: 0 })
  expect(await contentOf(shared, tables, FAMILY)).toEqual(before)
  expect(await contentOf(shared, tables, OTHERS)).toEqual(others)
})
