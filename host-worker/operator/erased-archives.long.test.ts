import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { finishRestore } from '../../domain/operators/archives.ts'
import { form, organization, contact, submissionRow } from '../../adapters/conformance/fixtures.ts'
import { everyText } from '../../test/support/databases/whole-database.ts'
import { testSecrets, fakeClock, type FakeClock } from '../../test/support/runner/fakes.ts'
import { portWith } from '../../test/support/runner/port-with.ts'
import { createScratchStorage, type ScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import type { TestStorage } from '../../test/support/services/service.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { archiveInFile } from './commands/archive-files.ts'
import { restoreArchive } from './commands/organizations.ts'
import { triedPlaces } from '../../test/support/runner/thorough.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'
import { PLACES } from '../../test/support/scratch/scratch-places.ts'

// Who was erased stays erased: an older archive brings nobody back.

const directory = scratchFolder()
const fileOf = (name: string) => join(directory, name)
let storage: ScratchStorage
let clock: FakeClock
let at: TestOperator

async function openOn(choice: PlaceChoice, secrets = testSecrets()): Promise<TestOperator> {
  clock = fakeClock()
  storage = createScratchStorage({ clock, choice })
  return openTestOperator(await secrets, storage)
}

/** Another process of the service, with operator keys of its own. */
async function another(secrets = testSecrets(), more: Partial<TestStorage> = {}): Promise<TestOperator> {
  const { operatorKeys, operatorChanges, audit } = createScratchStorage({ clock: fakeClock() })
  return openTestOperator(await secrets, { ...storage, operatorKeys, operatorChanges, audit, ...more })
}

afterEach(() => {
  expect(at.service.errors).toEqual([])
})

/** What tells of the person, in any table. A number is there with its digits alone, in a notation of its own. */
const PERSON = /Xanthippe|x@example\.org|X@Example|2125550123|212\) 555-0123|Xan-Quote/

/** Every text of every database that holds one of these organizations. */
async function told(...ids: readonly string[]): Promise<readonly string[]> {
  const databases = new Set([
    storage.database,
    ...(await Promise.all(ids.map((id) => storage.databaseOf(id)))),
  ])
  const texts = await Promise.all([...databases].map(everyText))
  return texts
    .flat()
    .filter(({ text }) => PERSON.test(text))
    .map(({ table, column, text }) => `${table}.${column} ${text}`)
}

async function run(...args: readonly string[]) {
  const done = await at.run(...args)
  expect([args, done.code, done.stderr]).toEqual([args, 0, done.stderr])
  return done
}

/** An organization of which many tables tell of one person, and of another one. */
async function fill(organizationId: string, choice: PlaceChoice): Promise<void> {
  await storage.administration.saveOrganization(organization(organizationId), undefined, choice)
  const tenant = storage.tenant(organizationId)
  const x = {
    firstName: 'Xanthippe',
    email: 'X@Example.org',
    emailKey: 'x@example.org',
    phone: '+12125550123',
  }
  const y = { firstName: 'Yolanda', email: 'y@example.org', emailKey: 'y@example.org', phone: '+12125550199' }
  await tenant.upsert('contacts', [contact('c-x', x), contact('c-y', y)])
  await tenant.upsert('forms', [form(`form-of-${organizationId}`)])
  const formId = `form-of-${organizationId}`
  await tenant.upsert('form-submissions', [
    submissionRow('s-1', { contactId: 'c-x', answers: { name: 'Xanthippe' }, formId }),
    submissionRow('s-2', { answers: { mail: 'X@Example.org', note: 'Xan-Quote' }, formId }),
    submissionRow('s-3', { answers: { tel: '(212) 555-0123' }, formId }),
    submissionRow('s-4', { contactId: 'c-y', answers: { name: 'Yolanda' }, formId }),
  ])
  const sends = storage.sends.open(organizationId)
  const sent = {
    channel: 'email',
    from: 'a@mail.example',
    providerId: null,
    at: '2026-06-15T11:00:00.000Z',
  } as const
  await sends.record([
    { sendId: 'n-1', ...sent, to: 'x@example.org', outcome: 'accepted', error: null },
    { sendId: 'n-2', ...sent, to: 'y@example.org', outcome: 'failed', error: 'No mailbox <x@example.org>' },
  ])
}

describe.each(triedPlaces(PLACES))('in the $kind place', (choice) => {
  const archive = fileOf(`${choice.kind}.tar`)
  beforeEach(async () => {
    at = await openOn(choice)
    await fill('acme', choice)
    await run('org', 'export', archive, '--id', 'acme')
    expect((await told('acme')).length).toBeGreaterThan(8)
  })

  test.each([
    ['their contact', ['--contact', 'c-x']],
    ['an address', ['--email', 'X@EXAMPLE.ORG']],
    ['a number', ['--phone', '212-555-0123']],
  ])('an archive of before brings back nobody who was erased by %s', async (_what, named) => {
    await run('contact', 'erase', '--org', 'acme', ...named)
    expect(await told('acme')).toEqual([])
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    const { stderr } = await run('org', 'restore', archive)
    expect(stderr).toContain('Erased again who was erased after the archive was made: 1 contacts, ')
    expect(await told('acme')).toEqual([])
    const rows = await storage
      .tenant('acme')
      .findMany('contacts', ['contactId', 'firstName', 'emailConsent'], ['c-x', 'c-y'])
    expect(rows).toEqual([
      { contactId: 'c-x', firstName: null, emailConsent: 'unsubscribed' },
      { contactId: 'c-y', firstName: 'Yolanda', emailConsent: 'unknown' },
    ])
    // What is made from it has nobody to erase, under another id neither.
    const again = fileOf(`again-${choice.kind}.tar`)
    await run('org', 'export', again, '--id', 'acme')
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    expect((await run('org', 'restore', again, '--id', 'other')).stderr).not.toContain('Erased again')
    expect(await told('other')).toEqual([])
  })

  test('nor does an archive of an organization that was restored from such an archive', async () => {
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    await run('org', 'restore', archive, '--id', 'copy')
    const copied = fileOf(`copied-${choice.kind}.tar`)
    await run('org', 'export', copied, '--id', 'copy')
    await run('org', 'delete', '--id', 'copy', '--confirm', 'copy')
    await run('org', 'restore', archive)
    await run('contact', 'erase', '--org', 'acme', '--contact', 'c-x')
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    expect((await run('org', 'restore', copied, '--id', 'third')).stderr).toContain('1 contacts')
    expect(await told('third')).toEqual([])
  })

  test('nor to an organization that was made again, and has nobody, when they were erased from it', async () => {
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    clock.advance(1000)
    await storage.administration.saveOrganization(organization('acme'), undefined, choice)
    await run('contact', 'erase', '--org', 'acme', '--email', 'x@example.org', '--phone', '+12125550123')
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    expect((await run('org', 'restore', archive)).stderr).toContain('1 contacts')
    expect(await told('acme')).toEqual([])
  })

  test('an archive made after the person came back keeps them', async () => {
    await run('contact', 'erase', '--org', 'acme', '--contact', 'c-x')
    await run('contact', 'erase', '--org', 'acme', '--contact', 'c-x')
    await storage
      .tenant('acme')
      .upsert('contacts', [
        contact('c-new', { firstName: 'Xanthippe', email: 'x@example.org', emailKey: 'x@example.org' }),
      ])
    const later = fileOf(`later-${choice.kind}.tar`)
    await run('org', 'export', later, '--id', 'acme')
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    expect((await run('org', 'restore', later)).stderr).not.toContain('Erased again')
    const [row] = await storage.tenant('acme').findMany('contacts', ['firstName'], ['c-new'])
    expect(row).toEqual({ firstName: 'Xanthippe' })
  })

  test('nobody can be read before, wherever the restoration is interrupted', async () => {
    await run('contact', 'erase', '--org', 'acme', '--contact', 'c-x')
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    const readable = async () =>
      (await storage.administration.findOrganization('acme')) === null ? [] : await told('acme')
    for (let kill = 1, wasKilled = true; wasKilled; kill += 1) {
      let calls = 0
      const organizationStore = (id: string) => {
        const store = storage.organizationStore(id)
        const dying =
          <Given extends readonly unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
          async (...given: Given) => {
            const answer = await call(...given)
            if ((calls += 1) === kill) throw new Error('killed')
            return answer
          }
        return portWith(store, {
          eraseSome: dying((...given: Parameters<typeof store.eraseSome>) => store.eraseSome(...given)),
          saveProgress: dying((...given: Parameters<typeof store.saveProgress>) =>
            store.saveProgress(...given),
          ),
        })
      }
      const dying = await another(testSecrets(), { organizationStore })
      const restoring = restoreArchive({
        archive: archiveInFile(archive),
        service: dying.client(null),
        organizationId: undefined,
        slug: undefined,
        place: {},
        onProgress: () => undefined,
      })
      await restoring.catch(() => undefined)
      wasKilled = calls >= kill
      expect(await readable()).toEqual([])
    }
    expect(await told('acme')).toEqual([])
    expect((await storage.administration.findOrganization('acme'))?.organizationId).toBe('acme')
  })

  test('a long erasure goes on in the next request', async () => {
    await run('contact', 'erase', '--org', 'acme', '--contact', 'c-x')
    await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
    let finishes = 0
    const slow = await another(testSecrets(), {
      organizationStore: (id) => {
        const store = storage.organizationStore(id)
        return portWith(store, {
          saveProgress: (...given) => {
            slow.service.clock.advance(11_000)
            return store.saveProgress(...given)
          },
        })
      },
    })
    const service = slow.client(null)
    await restoreArchive({
      archive: archiveInFile(archive),
      service: {
        ...service,
        call: (operation, given) => {
          finishes += operation.id === finishRestore.id ? 1 : 0
          return service.call(operation, given)
        },
      },
      organizationId: 'slow',
      slug: undefined,
      place: {},
      onProgress: () => undefined,
    })
    expect(finishes).toBeGreaterThan(4)
    expect(await told('slow')).toEqual([])
  })
})

test('addresses are known through a rotation of the root secret, and a contact also after it', async () => {
  const old = Buffer.alloc(32, 7).toString('base64url')
  const [during, after] = [
    openSecrets(Buffer.alloc(32, 8).toString('base64url'), old),
    openSecrets(Buffer.alloc(32, 8).toString('base64url'), null),
  ]
  at = await openOn({ kind: 'shared' }, openSecrets(old, null))
  await fill('acme', { kind: 'shared' })
  const archive = fileOf('rotated.tar')
  await run('org', 'export', archive, '--id', 'acme')
  await run('contact', 'erase', '--org', 'acme', '--email', 'x@example.org')
  at = await another(during)
  await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
  expect((await run('org', 'restore', archive)).stderr).not.toContain('could not be looked for')
  expect(await told('acme')).toEqual([])
  at = await another(after)
  await run('org', 'delete', '--id', 'acme', '--confirm', 'acme')
  const { stderr } = await run('org', 'restore', archive)
  expect(stderr).toContain('3 addresses of erased people could not be looked for')
  expect((await told('acme')).some((text) => text.startsWith('contacts'))).toBe(false)
})

test('who was erased is remembered for 400 days, and no address is stored', async () => {
  at = await openOn({ kind: 'shared' })
  await fill('acme', { kind: 'shared' })
  await run('contact', 'erase', '--org', 'acme', '--contact', 'c-x')
  const marks = await storage.erasures.since(['acme'], '', null, 10)
  expect(marks.map(({ kind }) => kind)).toEqual(['contact', 'email', 'national', 'phone'])
  expect(await told('acme')).toEqual([])
  const day = (days: number) =>
    new Date(Date.parse('2026-06-15T12:00:00.000Z') + days * 86_400_000).toISOString()
  expect(await storage.erasures.forget(day(0), 10)).toBe(0)
  expect(await storage.erasures.forget(day(1), 3)).toBe(3)
  expect(await storage.erasures.forget(day(1), 3)).toBe(1)
})
