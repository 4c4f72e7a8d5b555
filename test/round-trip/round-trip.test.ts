import { describe, expect, test } from 'vitest'
import { writtenPosResources } from '../../domain/pos/index.ts'
import { storedFields } from '../../domain/record/resource.ts'
import { resources, writtenResources } from '../../domain/resources/index.ts'
import { kinds } from './model/kinds.ts'
import { checkWorld } from './model/law.ts'
import { made } from './model/made.ts'
import { mutants } from './mutants/mutants.ts'
import { nodePlace } from './places.ts'
import { drawWorld } from './world.ts'
import { triedPlaces } from '../support/runner/thorough.ts'

// A short share of the law of the round trip. test/ci/suites/round-trip.sh also checks it in the Worker, and README.md in
// this folder says how to check it on more rows.

test.each(
  triedPlaces([
    ['shared', 1],
    ['own', 2],
  ] as const),
)('on node:sqlite, %s: what is imported from seed %i comes out', async (which, seed) => {
  const place = await nodePlace(which)
  const { rows, answers } = await checkWorld(drawWorld(seed, 4), place, 0.2)
  await place.close()
  expect(rows).toBeGreaterThan(80)
  expect(answers).toBeGreaterThan(120)
})

describe('the rows that are drawn', () => {
  test('are of every kind, and the same for the same seed', () => {
    const world = drawWorld(7, 6)
    expect([...world.rows.keys()]).toEqual(
      [...writtenResources, ...writtenPosResources].map(({ collection }) => collection),
    )
    expect(drawWorld(7, 6)).toEqual(world)
  })

  test('have a null in every field that may be null', () => {
    const { rows } = drawWorld(8, 6)
    const nullable = kinds.flatMap(({ collection, fields }) =>
      fields.filter(({ mayBeNull }) => mayBeNull).map(({ name }) => [collection, name] as const),
    )
    expect(nullable.length).toBeGreaterThan(80)
    for (const [collection, name] of nullable)
      expect(
        rows.get(collection)?.some(({ shown }) => shown[name] === null),
        `${collection}.${name}`,
      ).toBe(true)
  })
})

test('every rule is about a field that there is', async () => {
  const { posResources } = await import('../../domain/pos/index.ts')
  const { reads } = await import('../../domain/resources/index.ts')
  const published = [
    ...reads.map(({ resource }) => resource),
    ...posResources,
    ...writtenPosResources,
    ...resources,
  ]
  const names = new Set(
    published.flatMap((resource) =>
      [...Object.keys(resource.fields), ...storedFields(resource).map(([name]) => name)].flatMap((name) => [
        `${resource.name}.${name}`,
        `${resource.collection}.${name}`,
      ]),
    ),
  )
  expect(Object.keys(made).filter((name) => !names.has(name))).toEqual([])
})

test('every mistake has a place in the code', async () => {
  const { readFileSync } = await import('node:fs')
  const { join } = await import('node:path')
  const { projectRoot } = await import('../../host-worker/local/project.ts')
  for (const { name, file, from } of mutants)
    expect(readFileSync(join(projectRoot, file), 'utf8').split(from), name).toHaveLength(2)
})
