import { beforeEach, describe, expect, test } from 'vitest'
import { organization } from '../../conformance/fixtures.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { createScratchStorage, type ScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import type { PlaceDirectory } from '../../../ports/placement.ts'
import { createPlaceDirectory } from './directory.ts'

const EARLY = '2026-01-01T00:00:00.000Z'
const LATE = '2026-01-01T02:00:00.000Z'

const clock = fakeClock()
let storage: ScratchStorage
let directory: PlaceDirectory

const run = async (sql: string) => (await storage.database.batch([{ sql, parameters: [] }]))[0]?.rows

beforeEach(() => {
  clock.set(EARLY)
  storage = createScratchStorage({ clock })
  directory = createPlaceDirectory(storage.database, clock)
})

/** All pages of a list, in pages of two. */
async function pagesOf<Item>(
  read: (afterId: string | null, limit: number) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = []
  for (let after: string | null = null; pages.length < 10;) {
    const ids: readonly string[] = (await read(after, 2)).map(idOf)
    if (ids.length === 0) break
    pages.push(ids)
    after = ids.at(-1) ?? null
  }
  return pages
}

describe('organizations and families', () => {
  beforeEach(async () => {
    for (const id of ['c', 'a', 'moved', 'e']) await storage.administration.saveOrganization(organization(id))
    await run(`insert into families (family_id, place, generation, region) values
      ('moved', 'own', 2, 'weur'), ('b', 'own', 1, null), ('y', 'own', 1, null), ('z', 'own', 1, null), ('back', 'shared', 3, null)`)
    // The rows of `moved` are what a move has left in this database.
    await run(
      `insert into placed_organizations values ('moved', 'moved'), ('b', 'b'), ('b-child', 'b'), ('z', 'z')`,
    )
  })

  test('the organizations of all places are listed once each, at their place, page by page', async () => {
    const pages = await pagesOf(
      (...given) => directory.list(...given),
      ({ organizationId }) => organizationId,
    )
    expect(pages).toEqual([['a', 'b'], ['b-child', 'c'], ['e', 'moved'], ['z']])
    const all = await directory.list(null, 100)
    expect(all.map(({ organizationId }) => organizationId)).toEqual(pages.flat())
    expect(await directory.list('e', 1)).toEqual([
      {
        organizationId: 'moved',
        place: { kind: 'own', familyId: 'moved', generation: 2, region: 'weur', jurisdiction: null },
      },
    ])
    expect(await directory.list('b-child', 1)).toEqual([{ organizationId: 'c', place: { kind: 'shared' } }])
  })

  test('a key is entered for an organization that is there, and leaves nothing of one that was deleted', async () => {
    for (const [keyId, id] of Object.entries({ one: 'b', two: 'deleted', three: 'a' }))
      await directory.reserveKey(keyId, id, 'op')
    await directory.reserveKey('one', 'z', null)
    expect(await run('select * from placed_keys')).toEqual([
      { key_id: 'one', organization_id: 'b', issued_by: 'op' },
    ])
  })

  test('families are listed page by page while they have databases of their own', async () => {
    expect(
      await pagesOf(
        (...given) => directory.families(...given),
        ({ place }) => place.familyId,
      ),
    ).toEqual([
      ['b', 'moved'],
      ['y', 'z'],
    ])
  })

  test('families that have waited longest are asked for work first, and not before their time', async () => {
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`
    await directory.noteWork('z', at(1))
    await directory.noteWork('b', at(2))
    await directory.noteWork('moved', at(3))
    // A note of earlier work brings the time forward, one of later work does not put it off.
    await directory.noteWork('moved', at(0))
    await directory.noteWork('moved', at(5))
    const namesAt = async (now: string, limit = 10) =>
      (await directory.familiesWithWork(now, limit)).map(({ place }) => place.familyId)
    expect(await namesAt(at(1))).toEqual(['moved', 'z'])
    expect(await namesAt(at(9))).toEqual(['moved', 'z', 'b'])
    expect(await namesAt(at(9), 1)).toEqual(['moved'])
  })

  test('what was found out about a family’s work is recorded, unless more was noted meanwhile', async () => {
    const [now, later] = ['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z']
    for (const familyId of ['b', 'z']) await directory.noteWork(familyId, now)
    const [first, other] = await directory.familiesWithWork(now, 10)
    if (first === undefined || other === undefined) throw new Error('Two families have work')
    expect(first).toMatchObject({ place: { familyId: 'b' }, wasIdle: false })

    await directory.noteWork('b', now)
    await directory.settleWork(first, true, null)
    expect(await directory.familiesWithWork(now, 10)).toMatchObject([
      { place: { familyId: 'b' }, wasIdle: false },
      { place: { familyId: 'z' }, wasIdle: false },
    ])

    await directory.settleWork(other, true, later)
    expect(await directory.familiesWithWork(later, 10)).toMatchObject([
      { place: { familyId: 'b' }, wasIdle: false },
      { place: { familyId: 'z' }, wasIdle: true },
    ])
    await directory.noteWork('z', later)
    expect(await directory.familiesWithWork(later, 10)).toMatchObject([
      { wasIdle: false },
      { wasIdle: false },
    ])
  })
})

describe('ids of forms', () => {
  const placedForms = () => run('select * from placed_forms order by form_id')

  beforeEach(() => storage.administration.saveOrganization(organization('shared')))

  test('a form that was written stays settled when its id is reserved again; one that was not is reserved anew', async () => {
    expect(await directory.reserveForms('own', ['written', 'planned'])).toEqual([])
    await directory.settleForms('own', ['written'])
    clock.set(LATE)
    expect(await directory.reserveForms('own', ['written', 'planned'])).toEqual([])
    expect(await placedForms()).toEqual([
      { form_id: 'planned', organization_id: 'own', reserved_at: LATE },
      { form_id: 'written', organization_id: 'own', reserved_at: null },
    ])
    await directory.freeForms('own', ['written', 'planned'], EARLY)
    expect(await placedForms()).toHaveLength(2)
    await directory.freeForms('own', ['written', 'planned'], LATE)
    expect(await placedForms()).toEqual([{ form_id: 'written', organization_id: 'own', reserved_at: null }])
  })

  test('ids of which another organization holds one are reserved together or not at all', async () => {
    await directory.reserveForms('own', ['taken'])
    const held = { formId: 'taken', organizationId: 'own', reservedAt: EARLY }
    expect(await directory.reserveForms('other', ['free', 'taken'])).toEqual([held])
    expect(await placedForms()).toEqual([{ form_id: 'taken', organization_id: 'own', reserved_at: EARLY }])
    await directory.releaseForms('other', ['taken'])
    expect(await placedForms()).toHaveLength(1)
    await directory.releaseForms('own', ['taken'])
    expect(await directory.reserveForms('other', ['free', 'taken'])).toEqual([])
  })

  test('nothing is reserved while an import of forms is written, whose ids are not known yet', async () => {
    const file = { format: 'ndjson', totalBytes: 1, digest: 'd' } as const
    for (const kind of ['contacts', 'forms']) {
      await storage.imports('shared').open(`import-of-${kind}`, { ...file, kind }, 'rows', '')
      await run(`update import_sessions set state = 'writing' where kind = '${kind}'`)
      const isForms = kind === 'forms'
      expect(await directory.reserveForms('own', [`beside-${kind}`])).toEqual(isForms ? null : [])
    }
    expect(await placedForms()).toMatchObject([{ form_id: 'beside-contacts' }])
  })
})
