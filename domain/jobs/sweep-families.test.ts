import { beforeEach, describe, expect, test } from 'vitest'
import { form, organization, submission } from '../../adapters/conformance/fixtures.ts'
import { createScratchPlaces, OWN, type ScratchPlaces } from '../../test/support/scratch/scratch-places.ts'
import type { Log } from '../../ports/platform.ts'
import type { AllPlaces } from '../placement/find/at-place.ts'
import { createPlacedStorage } from '../placement/placed-storage.ts'
import { toInstant } from '../text/instant.ts'
import { sweepRetention } from '../organizations/retention.ts'
import { sweepFamilies, type FamilySweepWorld } from './deliver.ts'

const MINUTE_MS = 60_000
const silent: Log = { info: () => undefined, error: () => undefined }

/** What the sweeps of one test logged. */
let errors: [event: string, cause: unknown][]
const log: Log = { ...silent, error: (event, _fields, cause) => void errors.push([event, cause]) }

let scratch: ScratchPlaces
let noted: [familyId: string, at: string][]
let worked: string[]

beforeEach(async () => {
  scratch = createScratchPlaces()
  ;[noted, worked, errors] = [[], [], []]
  const { administration, tenant } = open()
  for (const [organizationId, choice] of [
    ['acme', OWN],
    ['plain', undefined],
  ] as const) {
    await administration.saveOrganization(organization(organizationId), null, choice)
    await tenant(organizationId).upsert('forms', [form(`form-${organizationId}`)])
  }
})

const noteWork: AllPlaces['noteWork'] = (familyId, at) => void noted.push([familyId, at])

/** The storage as a new isolate has it, which remembers no place. */
function open() {
  return createPlacedStorage({ ...scratch.isolate().places, noteWork }, silent)
}

function submit(storage: ReturnType<typeof open>, organizationId: string, id: string, entries: number) {
  const outbox = Array.from({ length: entries }, (_, index) => {
    return { outboxId: `${id}-${index}`, kind: 'notification_email', payload: {} }
  })
  return storage
    .tenant(organizationId)
    .saveSubmission(submission(id, { formId: `form-${organizationId}`, outbox }))
}

/** A run of the cron. `work` is what the database of a family does, which may fail. */
async function sweep(
  work: (familyId: string) => Promise<void>,
  changed: Partial<FamilySweepWorld['directory']> = {},
): Promise<void> {
  const { directory, storageAt } = scratch.isolate().places
  await sweepFamilies({
    directory: { ...directory, ...changed },
    openWork: (place) => {
      const { outbox, importDirectory: imports, retentionDirectory: retention } = storageAt(place, true)
      return { outbox, imports, retention, work: () => work(place.familyId) }
    },
    clock: scratch.clock,
    log,
  })
}

const done = async (familyId: string) => {
  worked.push(familyId)
  const tables = ['outbox', 'form_signs']
  await scratch
    .familyAt(`${familyId}.1`)
    ?.batch(tables.map((table) => ({ sql: `delete from ${table}`, parameters: [] })))
}

test('a receipt in a database of its own is noted for later, once a minute by each isolate', async () => {
  const storage = open()
  const inTenMinutes = () => toInstant(scratch.clock.nowMs() + 10 * MINUTE_MS)
  const first = inTenMinutes()
  await submit(storage, 'acme', 's-1', 1)
  await submit(storage, 'acme', 's-2', 2)
  await submit(storage, 'plain', 's-3', 1)
  expect(noted).toEqual([['acme', first]])
  scratch.clock.ms += MINUTE_MS
  // Though nothing follows from it, the hash of an address is thrown away later.
  await submit(storage, 'acme', 's-4', 0)
  await submit(storage, 'acme', 's-5', 1)
  await submit(open(), 'acme', 's-6', 1)
  expect(noted.slice(1)).toEqual([
    ['acme', inTenMinutes()],
    ['acme', inTenMinutes()],
  ])
})

test('work is noted although the answer that it was saved is lost, and when an operator retries an entry', async () => {
  const isolate = scratch.isolate().places
  const losing = createPlacedStorage(
    {
      ...isolate,
      noteWork,
      storageAt: (place, isConfirmed) => {
        const storage = isolate.storageAt(place, isConfirmed)
        const submissionsOf: typeof storage.forms.submissionsOf = (organizationId) => ({
          ...storage.forms.submissionsOf(organizationId),
          saveSubmission: async (saved) => {
            await storage.forms.submissionsOf(organizationId).saveSubmission(saved)
            throw new Error('The connection was lost.')
          },
        })
        return { ...storage, forms: { ...storage.forms, submissionsOf } }
      },
    },
    silent,
  )
  const saved = submission('s-1', {
    formId: 'form-acme',
    outbox: [{ outboxId: 's-1-0', kind: 'notification_email', payload: {} }],
  })
  await expect(losing.forms.submissionsOf('acme').saveSubmission(saved)).rejects.toThrow('lost')
  expect(noted).toHaveLength(1)
  scratch.clock.ms += MINUTE_MS
  const changes = losing.operatorChanges({
    auditId: 'a-1',
    at: toInstant(scratch.clock.nowMs()),
    operatorKeyId: 'ok',
    operator: 'ada',
    action: 'outbox.retry',
    organizationId: 'acme',
    subject: null,
  })
  expect(await changes.redrive('acme:s-1-0', toInstant(scratch.clock.nowMs()))).toBe('driven')
  expect(noted).toHaveLength(2)
})

test('the cron asks a family when its alarm is late, and forgets it when it had no work twice', async () => {
  await submit(open(), 'acme', 's-1', 1)
  for (const [familyId, at] of noted) await scratch.directory.noteWork(familyId, at)
  await sweep(done)
  expect(worked).toEqual([])
  for (let minutes = 0; minutes < 60; minutes += 1) {
    scratch.clock.ms += MINUTE_MS
    await sweep(done)
  }
  expect(worked).toEqual(['acme', 'acme'])
})

test('the hash of an address is thrown away within a day, though nothing follows from the submission', async () => {
  const flood = { sign: 'hash', keptMs: MINUTE_MS, earlierMax: 20, reason: 'flood' }
  const judged = { reasons: [], words: [], signs: [flood] }
  await open()
    .tenant('acme')
    .saveSubmission(submission('s-1', { formId: 'form-acme', judged }))
  for (const [familyId, at] of noted) await scratch.directory.noteWork(familyId, at)
  const own = { kind: 'own', familyId: 'acme', generation: 1, region: null, jurisdiction: null } as const
  const { retentionDirectory: retention } = scratch.isolate().places.storageAt(own, true)
  const signs = async () =>
    (await scratch.familyAt('acme.1')?.batch([{ sql: 'select 1 from form_signs', parameters: [] }]))?.[0]
      ?.rows
  expect(await signs()).toHaveLength(1)
  for (let hours = 0; hours < 24; hours += 1) {
    scratch.clock.ms += 60 * MINUTE_MS
    await sweep(async () => sweepRetention({ retention, clock: scratch.clock, log: silent }))
  }
  expect(await signs()).toEqual([])
})

test('a family whose work fails is asked again, and hinders no other', async () => {
  const now = toInstant(scratch.clock.nowMs())
  await open().administration.saveOrganization(organization('other'), null, OWN)
  for (const familyId of ['acme', 'other']) await scratch.directory.noteWork(familyId, now)
  await sweep(async (familyId) => {
    if (familyId === 'acme') throw new Error('no answer')
    worked.push(familyId)
  })
  expect(worked).toEqual(['other'])
  expect(errors).toEqual([['family_sweep_failed', new Error('no answer')]])
  scratch.clock.ms += 2 * MINUTE_MS - 1
  await sweep(done)
  expect(worked).toEqual(['other'])
  scratch.clock.ms += 1
  await sweep(done)
  expect(worked).toEqual(['other', 'acme'])
})

test('families that never answer do not stay ahead of the others', async () => {
  const now = scratch.clock.nowMs()
  const silentOnes = Array.from({ length: 12 }, (_, index) => `silent-${index}`)
  for (const familyId of silentOnes) {
    await open().administration.saveOrganization(organization(familyId), null, OWN)
    await scratch.directory.noteWork(familyId, toInstant(now))
  }
  await scratch.directory.noteWork('acme', toInstant(now + 1))
  scratch.clock.ms += MINUTE_MS
  // Each run of the cron ends without an answer from the silent databases, as if the platform had stopped it.
  for (let runs = 0; runs < 20 && !worked.includes('acme'); runs += 1) {
    const ended = sweep(async (familyId) => {
      if (familyId !== 'acme') return new Promise(() => undefined)
      worked.push(familyId)
    })
    await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))])
  }
  expect(worked).toEqual(['acme'])
})

test('a family that was idle and then failed is forgotten only after two further checks', async () => {
  await scratch.directory.noteWork('acme', toInstant(scratch.clock.nowMs()))
  const fail = async () => {
    throw new Error('no answer')
  }
  for (const work of [done, fail, done, done, done]) {
    await sweep(work)
    scratch.clock.ms += 10 * MINUTE_MS
  }
  expect(worked).toEqual(['acme', 'acme', 'acme'])
})

test('a family is not asked while the directory cannot put it off', async () => {
  await scratch.directory.noteWork('acme', toInstant(scratch.clock.nowMs()))
  const failed = new Error('no directory')
  await sweep(done, { settleWork: () => Promise.reject(failed) })
  expect(errors).toEqual([['family_sweep_failed', failed]])
  expect(worked).toEqual([])
})

describe('a family is asked again', () => {
  const none = { writing: 0, receiving: 0, leftovers: 0, dueInMs: null as number | null }
  const FAMILY = 'acme'

  test.each([
    ['a minute later while an import is being written', { ...none, writing: 1, receiving: 1, dueInMs: 0 }, 1],
    ['ten minutes after its work is due', { ...none, dueInMs: 180 * MINUTE_MS }, 190],
    ['ten minutes later when its work has been due for long', { ...none, dueInMs: -60 * MINUTE_MS }, 10],
    ['ten minutes later while an import takes parts', { ...none, receiving: 1 }, 10],
    ['ten minutes later while an import has left something', { ...none, leftovers: 1 }, 10],
    [
      'by then at the latest when its work is due later',
      { ...none, leftovers: 1, dueInMs: 180 * MINUTE_MS },
      10,
    ],
    ['ten minutes later when it has no work, to be sure', none, 10],
  ])('%s', async (_name, { writing, receiving, leftovers, dueInMs }, minutes) => {
    await scratch.directory.noteWork(FAMILY, toInstant(scratch.clock.nowMs()))
    const some = (count: number) => Promise.resolve(Array<never>(count).fill(undefined as never))
    await sweepFamilies({
      directory: scratch.directory,
      openWork: () => ({
        outbox: {
          nextDue: async () => (dueInMs === null ? null : toInstant(scratch.clock.nowMs() + dueInMs)),
        },
        imports: {
          untouched: (state) => some(state === 'writing' ? writing : receiving),
          withLeftovers: () => some(leftovers),
        },
        retention: { nextDue: async () => null },
        work: async () => undefined,
      }),
      clock: scratch.clock,
      log,
    })
    const isAsked = async (afterMs: number) => {
      const now = toInstant(scratch.clock.nowMs() + afterMs)
      return (await scratch.directory.familiesWithWork(now, 1)).length > 0
    }
    expect([await isAsked(minutes * MINUTE_MS - 1), await isAsked(minutes * MINUTE_MS)]).toEqual([
      false,
      true,
    ])
    const [asked] = await scratch.directory.familiesWithWork(toInstant(scratch.clock.nowMs() + 1e9), 1)
    expect(asked?.wasIdle).toBe(writing + receiving + leftovers === 0 && dueInMs === null)
    expect(errors).toEqual([])
  })
})
