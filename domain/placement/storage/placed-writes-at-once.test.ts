import { beforeEach, describe, expect, test } from 'vitest'
import type { Organization } from '../../../ports/organizations.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { START_MS } from '../../../adapters/conformance/fixtures.ts'
import { placeIn, saveIn, slugsIn } from '../../../test/support/moving/placed-organizations.ts'
import {
  createScratchPlaces,
  OWN,
  type ScratchIsolate,
  type ScratchPlaces,
} from '../../../test/support/scratch/scratch-places.ts'
import { toInstant } from '../../text/instant.ts'

/** The least number of calls that a change makes, before each of which something else happens. */
const CALLS_MIN = 5

let scratch: ScratchPlaces
let isolate: ScratchIsolate

beforeEach(() => {
  scratch = createScratchPlaces()
  isolate = scratch.isolate()
})

const save = (
  organizationId: string,
  settings: Partial<Organization> = {},
  choice?: PlaceChoice,
  by = isolate,
) => saveIn(by, organizationId, settings, choice)
const slugs = () => slugsIn(scratch)
const placeOf = (id: string) => placeIn(scratch, id)

describe('two changes at once', () => {
  /**
   * Runs slow work up to its nth call, then quick work to its end, then the slow work to its end. Null: the slow work
   * has fewer calls.
   */
  async function interleaved<Slow, Quick>(
    nth: number,
    slow: () => Promise<Slow>,
    quick: () => Promise<Quick>,
  ): Promise<readonly [Slow, Quick] | null> {
    let calls = 0
    const stopped = Promise.withResolvers<undefined>()
    const letGo = Promise.withResolvers<undefined>()
    scratch.before = async () => {
      calls += 1
      if (calls !== nth) return
      stopped.resolve(undefined)
      await letGo.promise
    }
    const slowly = slow()
    await Promise.race([stopped.promise, slowly])
    scratch.before = () => undefined
    if (calls < nth) return null
    const quickly = await quick()
    letGo.resolve(undefined)
    return [await slowly, quickly]
  }

  test('of one slug by two organizations: one has it', async () => {
    const outcomes = await Promise.all([
      save('one', { slug: 'same' }, OWN, scratch.isolate()),
      save('two', { slug: 'same' }, OWN, scratch.isolate()),
      save('three', { slug: 'same' }, undefined, scratch.isolate()),
    ])
    expect(outcomes.toSorted()).toEqual(['saved', 'slug_taken', 'slug_taken'])
  })

  test('of one organization: its slug stays held, whichever of them wins, wherever the other one stood', async () => {
    const outcomes: string[] = []
    for (let point = 1; ; point += 1) {
      scratch = createScratchPlaces()
      isolate = scratch.isolate()
      await save('acme', { slug: 'first' }, OWN)
      const both = await interleaved(
        point,
        () => save('acme', { slug: 'slow' }, undefined, scratch.isolate()),
        () => save('acme', { slug: 'quick' }, undefined, scratch.isolate()),
      )
      if (both === null) break
      outcomes.push(both.join(' '))
      const stored = await isolate.administration.findOrganization('acme')
      expect(await slugs()).toContainEqual({ slug: stored?.slug, organization_id: 'acme' })
      await save('acme', { slug: 'last' })
      expect(await slugs()).toEqual([{ slug: 'last', organization_id: 'acme' }])
    }
    expect(outcomes.length).toBeGreaterThanOrEqual(CALLS_MIN)
    expect([...new Set(outcomes)].toSorted()).toEqual(['changed saved', 'saved saved'])
  })

  test('of one id in two places: it is in one', async () => {
    let points = 0
    for (let point = 1; ; point += 1) {
      scratch = createScratchPlaces()
      const outcomes = await interleaved(
        point,
        () => save('acme', {}, OWN, scratch.isolate()),
        () => save('acme', { name: 'Shared' }, undefined, scratch.isolate()),
      )
      if (outcomes === null) break
      points = point
      expect(outcomes).toContain('saved')
      const inShared = await scratch.run('select 1 from organizations')
      const placed = await scratch.run('select 1 from placed_organizations')
      expect([point, inShared.length + placed.length]).toEqual([point, 1])
    }
    expect(points).toBeGreaterThanOrEqual(CALLS_MIN)
  })
})

test('a slug that a later change reserves in the meantime is not freed by the earlier one', async () => {
  await save('acme', { slug: 'old' }, OWN)
  let isReserved = false
  scratch.before = async ({ at }) => {
    // The earlier change has reserved its own slug, and now writes.
    if (at !== 'acme.1' || isReserved || !(await scratch.directory.slugsOf('acme')).includes('new')) return
    isReserved = true
    const reservation = {
      organizationId: 'acme',
      familyId: 'acme',
      choice: { region: null, jurisdiction: null },
      slug: 'later',
    }
    expect(await scratch.directory.reserve(reservation)).toMatchObject({ kind: 'own' })
  }
  expect(await save('acme', { slug: 'new' })).toBe('saved')
  expect(isReserved).toBe(true)
  expect(await scratch.directory.slugsOf('acme')).toEqual(['later', 'new'])
})

describe('a change while its family moves', () => {
  beforeEach(() => save('root', { slug: 'root' }, OWN))

  test.each(['own', 'shared'] as const)('is made in the new place (%s), at any point', async (to) => {
    let points = 0
    for (let point = 1; ; point += 1) {
      scratch = createScratchPlaces()
      isolate = scratch.isolate()
      await save('root', { slug: 'root' }, OWN)
      let calls = 0
      scratch.before = async () => {
        calls += 1
        if (calls === point) await scratch.move('root', to)
      }
      const outcome = await save('root', { name: 'Renamed' })
      expect([point, outcome]).toEqual([point, 'saved'])
      scratch.before = () => undefined
      expect((await scratch.isolate().administration.findOrganization('root'))?.name).toBe('Renamed')
      if (calls < point) break
      points = point
      expect(scratch.familyAt('root.1')).toBeUndefined()
    }
    expect(points).toBeGreaterThanOrEqual(CALLS_MIN)
  })

  test('a child of a shared family waits for the pause, and follows the family', async () => {
    await save('plain')
    await scratch.run("insert into write_pauses values ('plain', 'token', ?)", toInstant(START_MS + 60_000))
    const child = save('child', { parentId: 'plain' }, undefined, scratch.isolate())
    await new Promise((resolve) => setTimeout(resolve, 20))
    await save('elsewhere', {}, OWN)
    // The move ends: the family is in a database of its own now, and so are its rows.
    const { shared } = scratch
    const target = scratch.familyAt('elsewhere.1')
    const [rows] = await shared.batch([
      { sql: "select * from organizations where organization_id = 'plain'", parameters: [] },
    ])
    const row = rows?.rows[0] ?? {}
    await target?.batch([
      {
        sql: `insert into organizations (${Object.keys(row).join(', ')}) values (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        parameters: Object.values(row) as string[],
      },
    ])
    await shared.batch([
      { sql: "insert into placed_organizations values ('plain', 'elsewhere')", parameters: [] },
      { sql: 'delete from write_pauses', parameters: [] },
    ])
    expect(await child).toBe('saved')
    expect(await placeOf('child')).toBe('elsewhere')
  })
})
