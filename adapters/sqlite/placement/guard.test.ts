import { beforeEach, describe, expect, test } from 'vitest'
import { ElsewhereError, PausedError } from '../../../domain/placement/find/errors.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Storage } from '../../../ports/storage.ts'
import { contact, form, organization, START_MS, submission, tenantKey } from '../../conformance/fixtures.ts'
import { createScratchPlaces, type ScratchPlaces } from '../../../test/support/scratch/scratch-places.ts'
import { createStorage } from '../index.ts'

let scratch: ScratchPlaces
/** The shared database alone, without code that would look in another place after a refusal. */
let storage: Storage

const NOW = toInstant(START_MS)
const LEASE = { token: 'lease', until: toInstant(START_MS + 60_000) }

beforeEach(async () => {
  scratch = createScratchPlaces()
  storage = createStorage({ executor: scratch.shared, clock: scratch.clock, isShared: true })
  for (const organizationId of ['acme', 'other']) {
    await storage.administration.saveOrganization(organization(organizationId))
    await storage.administration.addKey(tenantKey(organizationId, `key-${organizationId}`))
    const tenant = storage.tenant(organizationId)
    await tenant.upsert('forms', [form(`form-${organizationId}`, { passwordHash: 'old' })])
    await tenant.upsert('contacts', [contact('c-1')])
    const outbox = [{ outboxId: `out-${organizationId}`, kind: 'notification_email', payload: {} }]
    await tenant.saveSubmission(submission('s-0', { formId: `form-${organizationId}`, outbox }))
  }
})

const pauseUntil = (ms: number) =>
  scratch.run('insert into write_pauses values (?, ?, ?)', 'acme', 'token', toInstant(ms))
const pauses = async () => (await scratch.run('select * from write_pauses')).length

const range = { start: null, end: null }

/** Every way to read data of an organization. */
const reads: Readonly<Record<string, (organizationId: string) => Promise<unknown>>> = {
  organization: (id) => storage.administration.findOrganization(id),
  keys: (id) => storage.administration.listKeys(id, null, 10),
  key: (id) => storage.administration.findKey(`key-${id}`),
  rows: (id) => storage.tenant(id).findMany('contacts', ['contactId'], ['c-1']),
  foreign: (id) => storage.tenant(id).foreignIds('forms', ['form-1']),
  sends: (id) => storage.sends.open(id).list(null, 10),
  outbox: (id) => storage.outbox.list(id, null, 10),
  imports: (id) => storage.imports(id).list(null, 10),
  cohorts: (id) =>
    storage.analytics.open(id).cohorts({ firstMonth: null, lastMonth: null, dimension: 'none' }),
  cancellations: (id) => storage.analytics.open(id).cancellations(range),
  offers: (id) => storage.analytics.open(id).retentionOffers(range),
}

/** Every way to change data of an organization, except a submission. */
const writes: Readonly<Record<string, (organizationId: string) => Promise<unknown>>> = {
  organization: (id) => storage.administration.saveOrganization(organization(id, { name: 'New' })),
  child: (id) => storage.administration.saveOrganization(organization('child', { parentId: id })),
  'new key': (id) => storage.administration.addKey(tenantKey(id, 'key-new')),
  'revoked key': (id) => storage.administration.revokeKey(`key-${id}`, NOW),
  'key use': (id) => storage.administration.noteKeyUse(`key-${id}`, NOW),
  rehash: (id) => storage.administration.rehashKey(`key-${id}`, 'another hash', 'v2'),
  rotation: (id) =>
    storage.administration.rotateKey({
      keyId: `key-${id}`,
      successor: tenantKey(id, 'key-next'),
      endsAt: LEASE.until,
    }),
  rows: (id) => storage.tenant(id).upsert('contacts', [contact('c-2')]),
  password: (id) => storage.tenant(id).replacePasswordHash(`form-${id}`, 'old', 'new'),
  claim: (id) => storage.outbox.open(id).claim(`out-${id}`, LEASE, NOW),
  redrive: (id) => storage.outbox.redrive(`out-${id}`, LEASE.until),
  submission: (id) => storage.tenant(id).saveSubmission(submission('s-1', { formId: `form-${id}` })),
}

/** Everything in the shared database except pauses. */
async function content(): Promise<string> {
  const tables = ['organizations', 'api_keys', 'contacts', 'forms', 'form_submissions', 'outbox']
  return JSON.stringify(await Promise.all(tables.map((table) => scratch.run(`select * from ${table}`))))
}

describe('an organization that the directory places elsewhere, with rows left here', () => {
  beforeEach(async () => {
    await scratch.run("insert into families (family_id, place, generation) values ('acme', 'own', 3)")
    await scratch.run("insert into placed_organizations values ('acme', 'acme')")
    await scratch.run("insert into placed_keys (key_id, organization_id) values ('key-acme', 'acme')")
  })

  test.each(Object.entries(reads))('is not read: %s', async (_, read) => {
    const refusal = await read('acme').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ElsewhereError)
    // The refusal itself names the place, so no second call is needed to find it.
    const place = { kind: 'own', familyId: 'acme', generation: 3, region: null, jurisdiction: null }
    expect((refusal as ElsewhereError).found).toEqual({ organizationId: 'acme', place })
    await expect(read('other')).resolves.not.toThrow()
  })

  test.each(Object.entries(writes))('is not written: %s', async (_, write) => {
    const before = await content()
    await expect(write('acme')).rejects.toThrow(ElsewhereError)
    expect(await content()).toBe(before)
    await write('other')
    expect(await content()).not.toBe(before)
  })

  test('its proven key is refused here, and its form is not found', async () => {
    const claim = { organizationId: 'acme', keyId: 'key-acme', hashes: ['hash of key-acme'] } as const
    await expect(storage.keyed.open(claim).read([])).rejects.toThrow(ElsewhereError)
    await scratch.run("insert into placed_forms values ('form-acme', 'acme', null)")
    await expect(storage.forms.find('form-acme')).rejects.toThrow(ElsewhereError)
    expect((await storage.forms.find('form-other'))?.organizationId).toBe('other')
  })

  test('is in no list of this database', async () => {
    const listed = await storage.administration.listOrganizations(null, 10)
    expect(listed.map(({ organizationId }) => organizationId)).toEqual(['other'])
  })
})

describe('while a move pauses the writes of an organization', () => {
  beforeEach(() => pauseUntil(START_MS + 1))

  test.each(Object.entries(reads))('it is read: %s', async (_, read) => {
    await expect(read('acme')).resolves.not.toThrow()
  })

  test('its key opens, and its form is found', async () => {
    const claim = { organizationId: 'acme', keyId: 'key-acme', hashes: ['hash of key-acme'] } as const
    expect((await storage.keyed.open(claim).read([])).authenticated).toBe(true)
    expect(await storage.forms.find('form-acme')).not.toBeNull()
  })

  test.each(Object.entries(writes))('it is not written: %s', async (_, write) => {
    const before = await content()
    await expect(write('acme')).rejects.toThrow(PausedError)
    expect([await content(), await pauses()]).toEqual([before, 1])
    await write('other')
    expect(await pauses()).toBe(1)
  })

  test.each(Object.entries(writes))(
    'the first write after it ends it, so that the move sees it: %s',
    async (_, write) => {
      const before = await content()
      scratch.clock.ms += 1
      await write('acme')
      expect(await pauses()).toBe(0)
      expect(await content()).not.toBe(before)
    },
  )
})

describe('a submission that finds a pause that has passed', () => {
  beforeEach(() => pauseUntil(START_MS - 1))

  // The organization's clock is left out, because it may have moved: it only ever goes forward.
  const saved = () =>
    Promise.all(
      ['form_submissions', 'contacts', 'outbox'].map((table) => scratch.run(`select * from ${table}`)),
    )

  test.each([
    ['its form has changed', { formVersion: 99 }, 'stale'],
    ['its form does not exist', { formId: 'none' }, 'stale'],
    ['the contact has submitted enough', { limitPerContact: 0 }, 'limit_reached'],
  ] as const)('is not taken for saved when %s', async (_, changes, kind) => {
    const refused = submission('s-1', { formId: 'form-acme', ...changes }, { email: 'ada@example.com' })
    const before = await saved()
    expect(await storage.tenant('acme').saveSubmission(refused)).toEqual({ kind })
    expect(await saved()).toEqual(before)
    const again = submission('s-0', { formId: 'form-acme' })
    expect(await storage.tenant('acme').saveSubmission(again)).toMatchObject({ kind: 'saved', outboxIds: [] })
  })
})
