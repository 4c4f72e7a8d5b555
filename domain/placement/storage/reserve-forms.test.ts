import { beforeEach, expect, test } from 'vitest'
import { form, organization } from '../../../adapters/conformance/fixtures.ts'
import {
  createScratchPlaces,
  OWN,
  type ScratchIsolate,
  type ScratchPlaces,
} from '../../../test/support/scratch/scratch-places.ts'
import { forms } from '../../resources/forms.ts'
import { resources } from '../../resources/index.ts'

let scratch: ScratchPlaces
let isolate: ScratchIsolate

beforeEach(async () => {
  scratch = createScratchPlaces()
  isolate = scratch.isolate()
  for (const id of ['one', 'two']) await isolate.administration.saveOrganization(organization(id), null, OWN)
  await isolate.administration.saveOrganization(organization('plain'), null)
})

const HOUR_MS = 3_600_000
const holders = () =>
  scratch.run('select form_id, organization_id, reserved_at is null as stored from placed_forms')
const foreign = (organizationId: string) => isolate.tenant(organizationId).foreignIds('forms', ['f-1', 'f-2'])
const store = (organizationId: string) => isolate.tenant(organizationId).upsert('forms', [form('f-1')])

test('an id is held from its reservation on, whoever asks, in whichever place', async () => {
  await scratch.directory.reserveForms('one', ['f-1'])
  expect([await foreign('one'), await foreign('two'), await foreign('plain')]).toEqual([[], ['f-1'], ['f-1']])
  await expect(store('two')).rejects.toThrow('A form id belongs to another organization')
  await store('one')
  scratch.clock.ms += 2 * HOUR_MS
  expect([await foreign('two'), await foreign('plain')]).toEqual([['f-1'], ['f-1']])
})

test('a form of the shared database is foreign to all others', async () => {
  await store('plain')
  expect([await foreign('one'), await foreign('plain')]).toEqual([['f-1'], []])
  await expect(store('one')).rejects.toThrow('A form id belongs to another organization')
})

test.each(['two', 'plain'])('after an hour an id without a form is free, for %s', async (organizationId) => {
  await scratch.directory.reserveForms('one', ['f-1'])
  scratch.clock.ms += HOUR_MS - 1
  expect(await foreign(organizationId)).toEqual(['f-1'])
  scratch.clock.ms += 1
  expect(await foreign(organizationId)).toEqual([])
  await store(organizationId)
  expect(await foreign('one')).toEqual(['f-1'])
})

test('an id whose form was stored, though that was never noted, stays held', async () => {
  await store('one')
  await scratch.run("update placed_forms set reserved_at = '2020-01-01T00:00:00.000Z'")
  expect(await foreign('two')).toEqual(['f-1'])
  expect(await holders()).toEqual([{ form_id: 'f-1', organization_id: 'one', stored: 1 }])
})

test('an id stays held while the database of its holder does not answer', async () => {
  await scratch.directory.reserveForms('one', ['f-1'])
  scratch.clock.ms += HOUR_MS
  scratch.before = ({ at }) => {
    if (at === 'one.1') throw new Error('The database does not answer')
  }
  expect(await foreign('two')).toEqual(['f-1'])
  expect(await holders()).toEqual([{ form_id: 'f-1', organization_id: 'one', stored: 0 }])
  expect(scratch.errors.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { event: 'family_unanswered', organizationId: 'one', errorName: 'Error' },
  ])
})

test('whoever takes an old reservation up again keeps it against one who is about to free it', async () => {
  await scratch.directory.reserveForms('one', ['f-1'])
  scratch.clock.ms += HOUR_MS
  let isTakenUp = false
  scratch.before = async ({ at }) => {
    if (at !== 'one.1' || isTakenUp) return
    isTakenUp = true
    // This happens between the look at the holder's forms and their release.
    await scratch.directory.reserveForms('one', ['f-1'])
  }
  await foreign('two')
  scratch.before = () => undefined
  expect(await holders()).toEqual([{ form_id: 'f-1', organization_id: 'one', stored: 0 }])
})

test('ids are reserved all or none, and by one of two at once', async () => {
  await scratch.directory.reserveForms('one', ['f-1'])
  expect(await scratch.directory.reserveForms('two', ['f-1', 'f-2'])).toMatchObject([{ formId: 'f-1' }])
  expect(await foreign('plain')).toEqual(['f-1'])
  const both = await Promise.all(['one', 'two'].map((id) => scratch.directory.reserveForms(id, ['f-2'])))
  expect(both).toMatchObject([[], [{ formId: 'f-2', organizationId: 'one' }]])
})

test('forms are all whose ids are unique in the whole service: the directory holds those of nothing else', () => {
  expect(resources.filter(({ serviceWideIds }) => serviceWideIds)).toEqual([forms])
})
