import { beforeEach, expect, test } from 'vitest'
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
const placedForms = () => run('select * from placed_forms order by form_id')

beforeEach(async () => {
  clock.set(EARLY)
  storage = createScratchStorage({ clock })
  directory = createPlaceDirectory(storage.database, clock)
  await storage.administration.saveOrganization(organization('shared'))
})

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
