import { expect, test } from 'vitest'
import type {
  OrganizationFile,
  ArchiveHead,
  ArchiveLines,
  ArchiveSource,
} from '../../../domain/organizations/archive.ts'
import { ORGANIZATION } from '../../../domain/organizations/tar.ts'
import { ChangedMeanwhile, writeArchive } from '../../../domain/organizations/write-archive.ts'
import { openNodeDigest } from '../../../host-worker/operator/commands/archive-files.ts'
import { begunExport } from '../../support/data/restore-request.ts'
import { form, submission } from '../../../adapters/conformance/fixtures.ts'
import { toOwn, type MovingPlaces } from '../../support/moving/moving.ts'
import { openMovingStorage } from '../../support/moving/moving-storage.ts'
import { addSampleOrganization } from '../../support/data/sample-organization.ts'
import { sendImport } from '../../support/data/sent-import.ts'
import { everyText } from '../../support/databases/whole-database.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { thorough, triedPlaces } from '../../support/runner/thorough.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { scratchObjects, type ScratchObjects } from '../../support/scratch/scratch-objects.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// An organization is removed while others import, export, erase and move.

const SEEDS = thorough(40, 3)
/** At so many moments of a deletion each change is made, each at others. */
const MOMENTS = thorough(20, 1)

/** Requests begin within so many turns of the event loop, in some of which an earlier one is half done. */
const TURNS_MAX = 60

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/**
 * Whether a text is kept: who did what, and the id of who was erased, so that no archive of the organization brings them
 * back.
 */
function isKept(table: string, text: string): boolean {
  return table === 'audit' || (table === 'erasures' && ['acme', 'm-contactId-1'].includes(text))
}

/** The texts of the deleted organization in either place, beside those that are kept. */
async function leftOf(storage: ScratchStorage) {
  const texts = [
    ...(await everyText(storage.database)),
    ...(await everyText(await storage.databaseOf('acme'))),
  ]
  return texts.filter(({ table, text }) => !isKept(table, text) && /\bacme\b|^m-/.test(text))
}

interface ChangedAt {
  readonly service: TestService
  readonly admin: OperatorClient
  /** The key of the organization. */
  readonly key: string
}

const ACME = '/organizations/acme'

const contact = (index: number) => ({
  contactId: `new-${index}`,
  tags: [],
  emailConsent: 'unknown',
  smsConsent: 'unknown',
  createdAt: '2026-01-01T00:00:00Z',
})
const contacts = Array.from({ length: 2_000 }, (_, index) => contact(index))

const places = [{ kind: 'shared' }, { kind: 'own', region: null, jurisdiction: null }] as const

test.each(places)(
  'whatever runs at once, nothing is left of a deleted organization: $kind',
  async (choice) => {
    let storage: ScratchStorage | undefined
    const service = await openTestService((clock) => (storage = createScratchStorage({ clock, choice })))
    if (storage === undefined) throw new Error('There is no storage')
    const admin = await openOperatorClient(service, 'admin')
    const key = await service.addOrganization('kept')
    const path = '/organizations/acme'
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const below = seededRandom(seed)
      await addSampleOrganization(service, 'acme', 'm-', 5)
      const importId = await sendImport(service, admin, 'acme', 'contacts', contacts)
      const work = [
        () => admin.post(`${path}/delete`, { confirm: 'acme' }),
        () => admin.post(`${path}/imports/${importId ?? ''}/commit`),
        () => admin.post(`${path}/export`, {}),
        () => admin.post(`${path}/contacts/erase`, { contactIds: ['m-contactId-1'] }),
        () => admin.post(`${path}/rows/products/delete`, { ids: ['m-productId-1'] }),
        () => admin.post(`${path}/delete`, { confirm: 'acme' }),
      ]
      const order = work
        .map((one) => ({ one, place: below() }))
        .sort((left, right) => left.place - right.place)
      const answers = await Promise.all(
        order.map(async ({ one }) => {
          await turns(below() * TURNS_MAX)
          return one()
        }),
      )
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      const last = await admin.post(`${path}/delete`, { confirm: 'acme' })
      expect([200, 404]).toContain(last.status)
      expect(await leftOf(storage)).toEqual([])
    }
    expect((await service.send('/api/v1/sites', { key })).status).toBe(200)
    expect(service.errors).toEqual([])
  },
)

/** What changes an organization, or sends for it. */
const changes: Readonly<Record<string, (at: ChangedAt) => Promise<{ readonly status: number }>>> = {
  'a form is saved': ({ admin }) => admin.post(`${ACME}/forms`, { forms: [form('m-saved').definition] }),
  'a submission comes': ({ service }) =>
    service.send('/api/forms/m-open/submissions', {
      json: { _gotcha: '', name: 'Ada', email: 'ada@example.com' },
    }),
  'submissions are marked as spam': ({ admin }) =>
    admin.post(`${ACME}/submissions/mark`, { ids: ['m-submissionId-1'], spam: true }),
  'submissions are marked read': ({ admin }) =>
    admin.post(`${ACME}/submissions/mark`, { ids: ['m-submissionId-1'], read: true }),
  'submissions are deleted': ({ admin }) =>
    admin.post(`${ACME}/submissions/delete`, { ids: ['m-submissionId-1'] }),
  'a person is erased': ({ admin }) =>
    admin.post(`${ACME}/contacts/erase`, { contactIds: ['m-contactId-1'] }),
  'a webhook is made': ({ admin }) =>
    admin.post(`${ACME}/webhooks`, { url: 'https://example.com/m-hook', events: ['contact.created'] }),
  'a key is issued': ({ admin }) => admin.post(`${ACME}/keys`, { label: 'm-label' }),
  'it is retained otherwise': ({ admin }) => admin.post(`${ACME}/retention`, { submissions: 30 }),
  'its settings are changed': ({ admin }) => admin.post(ACME, { name: 'm-name' }),
  'a person is added': ({ admin }) =>
    admin.post('/people', { email: 'm-person@example.com', role: 'owner', organizationIds: ['acme'] }),
  'an import begins': ({ admin }) => admin.post(`${ACME}/imports`, { kind: 'contacts' }),
  'an email is sent': ({ service, key }) =>
    service.send('/api/v1/email', {
      key,
      json: { to: 'm-to@example.com', subject: 'Hello', html: 'm-text' },
    }),
  'what is due is done': async ({ service }) => {
    await service.settled()
    return { status: 200 }
  },
}

test.each(triedPlaces(places))(
  'whatever is changed while an organization is deleted, it leaves nothing: $kind',
  async (choice) => {
    let storage: ScratchStorage | undefined
    const service = await openTestService((clock) => (storage = createScratchStorage({ clock, choice })))
    if (storage === undefined) throw new Error('There is no storage')
    const admin = await openOperatorClient(service, 'admin')
    const statuses = new Set<number>()
    for (const [index, [name, change]] of Object.entries(changes).entries()) {
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const key = await addSampleOrganization(service, 'acme', 'm-', 2)
        await service.storage.tenant('acme').upsert('forms', [form('m-open')])
        const deletion = admin.post(`${ACME}/delete`, { confirm: 'acme' })
        const shift = index / Object.keys(changes).length
        await turns(Math.round(((moment + shift) * TURNS_MAX) / MOMENTS))
        const changed = await change({ service, admin, key })
        statuses.add(changed.status)
        expect([name, moment, changed.status < 500]).toEqual([name, moment, true])
        expect((await deletion).status).toBe(200)
        expect([200, 404]).toContain((await admin.post(`${ACME}/delete`, { confirm: 'acme' })).status)
        expect([name, moment, await leftOf(storage)]).toEqual([name, moment, []])
      }
    }
    // Some came before the organization was gone, and some after.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 404]))
    expect(service.errors).toEqual([])
  },
)

test('a family is not deleted while it moves, and takes its removals and its retention along', async () => {
  let moving: MovingPlaces | undefined
  const service = await openTestService((clock) => {
    const { storage, places: opened } = openMovingStorage(clock)
    moving = opened
    return storage
  })
  if (moving === undefined) throw new Error('There are no places')
  const admin = await openOperatorClient(service, 'admin')
  const key = await service.addOrganization('acme')
  const tenant = service.storage.tenant('acme')
  await tenant.upsert('forms', [form('form-1'), form('gone')])
  await tenant.saveSubmission(submission('sub-1'))
  expect((await admin.post('/organizations/acme/rows/forms/delete', { ids: ['gone'] })).status).toBe(200)
  expect((await admin.post('/organizations/acme/retention', { submissions: 30 })).status).toBe(200)
  const removals = async () => (await service.send('/api/v1/removals', { key })).text()
  const before = await removals()
  expect(before).toContain('"gone"')
  const [moveId, now] = ['m1', '2026-06-15T12:00:00.000Z']
  await moving.world.ledger.open({ moveId, familyId: 'acme', target: toOwn, startedAt: now })
  await moving.world.ledger.take(moveId, 'another', now, '2026-06-15T13:00:00.000Z')
  const refused = await admin.post('/organizations/acme/delete', { confirm: 'acme' })
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('moved')])
  await moving.world.ledger.release(moveId, 'another')
  await admin.get(`/moves/${moveId}`)
  await service.settled()
  const { body } = await admin.get('/organizations/acme')
  expect(body).toMatchObject({ place: 'own', retention: { submissions: 30, sends: null } })
  expect(await removals()).toBe(before)
})

test('the object of a family that is deleted is emptied, and serves the next of that name', async () => {
  let objects: ScratchObjects | undefined
  const service = await openTestService((clock) => {
    objects = scratchObjects(clock)
    return createScratchStorage({ clock, ...objects })
  })
  const admin = await openOperatorClient(service, 'admin')
  await addSampleOrganization(service, 'acme', 'm-', 3)
  const isFull = () => objects?.object('acme.1').database.sizeBytes() ?? 0
  const size = isFull()
  expect((await admin.post('/organizations/acme/delete', { confirm: 'acme' })).status).toBe(200)
  expect(isFull()).toBeLessThan(size / 2)
  expect((await admin.get('/organizations/acme')).status).toBe(404)
  const key = await addSampleOrganization(service, 'acme', 'm-', 2)
  const sites = await service.send('/api/v1/sites', { key })
  expect(((await sites.json()) as { readonly data: readonly object[] }).data.length).toBe(2)
})

test('an export during which the family moves begins again, and is then one state in the new place', async () => {
  const service = await openTestService((clock) => openMovingStorage(clock).storage)
  const admin = await openOperatorClient(service, 'admin')
  await addSampleOrganization(service, 'acme', 'm-', 3)
  let reads = 0
  let token = ''
  const lines: ArchiveSource['lines'] = async (file, after) => {
    reads += 1
    if (reads === 40) {
      await admin.post('/organizations/acme/move', { place: 'own' })
      await service.settled()
    }
    const { status, body } = await admin.post('/organizations/acme/export/lines', { token, file, after })
    expect(status).toBe(200)
    return body as unknown as ArchiveLines
  }
  const source: ArchiveSource = {
    lines,
    organization: async () => JSON.parse((await lines(ORGANIZATION, null)).lines) as OrganizationFile,
    async head() {
      const begun = await begunExport(admin)
      ;({ token } = begun)
      return begun as unknown as ArchiveHead
    },
  }
  const exported = async () => {
    const pieces: Uint8Array[] = []
    const writing = { source, openDigest: openNodeDigest, onProgress: () => undefined }
    for await (const piece of writeArchive(writing)) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  await expect(exported()).rejects.toThrow(ChangedMeanwhile)
  const archive = await exported()
  expect(archive).toContain('"place": "own"')
  expect(archive).toContain('m-siteId-2')
  expect(await exported()).toBe(archive)
  expect(service.errors).toEqual([])
})
