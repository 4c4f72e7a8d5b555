import assert from 'node:assert/strict'
import type {
  ArchivePosition,
  KnownPerson,
  Opening,
  Restoration,
  RestoredPart,
  StoredValue,
  OrganizationStore,
} from '../../ports/index.ts'
import {
  at,
  contact,
  form,
  organization,
  pendingSend,
  readContact,
  submissionRow,
  tenantKey,
  twoTenants,
  type TwoTenants,
} from './fixtures.ts'
import { casesFrom } from './cases.ts'

const restoration = (restoreId: string, changes: Partial<Restoration> = {}): Restoration => ({
  restoreId,
  archive: `${restoreId}.tar`,
  digest: `digest of ${restoreId}`,
  nextPart: 1,
  progress: '{}',
  startedAt: at(0),
  endedAt: null,
  ...changes,
})

type Rows = readonly (readonly StoredValue[])[]

/** All rows of a table. */
async function rowsOf(store: OrganizationStore, table: string): Promise<Rows> {
  const found: (readonly StoredValue[])[] = []
  for (let after: ArchivePosition | null = null; ;) {
    const { rows, next } = await store.read(table, after)
    found.push(...rows)
    if (next === null) return found
    after = next
  }
}

/** Every table with rows, but for the organization's own. */
async function tablesOf(store: OrganizationStore): Promise<ReadonlyMap<string, Rows>> {
  const tables = new Map<string, Rows>()
  for (const { name } of await store.tables()) {
    const rows = name === 'organizations' ? [] : await rowsOf(store, name)
    if (rows.length > 0) tables.set(name, rows)
  }
  return tables
}

async function fieldsOf(store: OrganizationStore, table: string): Promise<readonly string[]> {
  return (await store.table(table))?.columns.map(({ field }) => field) ?? []
}

/** The stored row of an organization, by field. */
async function ownRow(store: OrganizationStore): Promise<Opening['row']> {
  const [row = []] = await rowsOf(store, 'organizations')
  const fields = await fieldsOf(store, 'organizations')
  return Object.fromEntries(fields.map((field, index) => [field, row[index] ?? null]))
}

/** Writes tables as the parts of a restoration that has just begun. */
async function write(
  store: OrganizationStore,
  restoreId: string,
  tables: ReadonlyMap<string, Rows>,
): Promise<void> {
  let part = 0
  for (const [table, rows] of tables) {
    part += 1
    const fields = await fieldsOf(store, table)
    const written: RestoredPart = { restoreId, part, table, fields, rows, progress: `{"part":${part}}` }
    assert.equal(await store.write(written), 'written', table)
  }
}

const ADA = { email: 'ada@example.com', phone: '+12125550100' }
const ada: KnownPerson = {
  contactIds: ['c-1'],
  emailKeys: ['ada@example.com'],
  phones: ['+12125550100'],
  numbers: ['12125550100', '2125550100'],
}

/** The organization `org-a` with some rows of several kinds. */
async function filled(storage: TwoTenants): Promise<OrganizationStore> {
  const { tenant, sends, organizationStore } = storage
  await tenant('org-a').upsert('contacts', [contact('c-1', ADA), contact('c-2')])
  await tenant('org-a').upsert('forms', [form('form-1')])
  await tenant('org-a').upsert('form-submissions', [
    submissionRow('s-1', { contactId: 'c-1', answers: { why: 'because' } }),
    submissionRow('s-2', { answers: { mail: 'ada@example.com' } }),
    submissionRow('s-3', { answers: { mail: 'grace@example.com' } }),
  ])
  await sends
    .open('org-a')
    .record([pendingSend('m-1', { to: 'ada@example.com' }), pendingSend('m-2', { to: 'grace@example.com' })])
  return organizationStore('org-a')
}

/** Everything that a step does to all rows, one after the other. */
async function stepped(
  step: (
    position: string | null,
  ) => Promise<{ readonly rows: number; readonly contacts: number; readonly next: string | null }>,
) {
  const total = { rows: 0, contacts: 0 }
  for (let position: string | null = null; ;) {
    const { rows, contacts, next } = await step(position)
    total.rows += rows
    total.contacts += contacts
    if (next === null) return total
    position = next
  }
}

export const restorationCases = casesFrom(twoTenants, {
  async 'the rows of one organization, written into another that is closed meanwhile, are the same there'(
    storage,
  ) {
    const { administration, forms, keyed, tenant, organizationStore, clock } = storage
    const source = await filled(storage)
    const tables = await tablesOf(source)
    const names = (await source.tables()).map(({ name }) => name)
    assert.deepEqual(names, names.toSorted())
    assert.deepEqual(await source.table('none'), null)
    assert.deepEqual(
      ['contacts', 'form_submissions', 'forms', 'sends'].filter((name) => !tables.has(name)),
      [],
    )
    const { clockAt } = await ownRow(source)
    // The forms would be those of two organizations.
    const copied = new Map([...tables].filter(([name]) => name !== 'forms' && name !== 'api_keys'))
    await administration.saveOrganization(organization('copy'))
    await administration.addKey(tenantKey('copy', 'key-c'))
    const target = organizationStore('copy')
    const row = { ...(await ownRow(target)), name: 'Copy', clockAt: clockAt ?? null }
    assert.equal(await target.restoration(), null)
    assert.equal(await target.begin(restoration('r-1'), null), 'begun')
    assert.deepEqual(await target.restoration(), restoration('r-1'))
    const proven = async () =>
      (await keyed.open({ organizationId: 'copy', keyId: 'key-c', hashes: ['hash of key-c'] }).read([]))
        .authenticated
    assert.deepEqual([await administration.findOrganization('copy'), await proven()], [null, false])
    await write(target, 'r-1', copied)
    assert.equal((await target.restoration())?.progress, `{"part":${copied.size}}`)
    assert.equal(await target.saveProgress('r-1', '{"saved":1}'), true)
    assert.equal(await target.saveProgress('r-2', '{}'), false)
    clock.ms += 60_000
    const opening: Opening = { restoreId: 'r-1', row, parentId: null, endedIssuers: [], now: at(60) }
    assert.equal(await target.open({ ...opening, restoreId: 'r-2' }), 'lost')
    assert.equal(await target.open({ ...opening, parentId: 'none' }), 'parent_missing')
    assert.equal(await proven(), false)
    assert.equal(await target.open(opening), 'opened')
    assert.equal(await target.open(opening), 'lost')
    assert.equal(await target.saveProgress('r-1', '{}'), false)
    assert.deepEqual(await target.restoration(), {
      ...restoration('r-1'),
      nextPart: copied.size + 1,
      progress: '{"saved":1}',
      endedAt: at(60),
    })
    assert.deepEqual([(await administration.findOrganization('copy'))?.name, await proven()], ['Copy', true])
    for (const [name, rows] of copied) assert.deepEqual([name, await rowsOf(target, name)], [name, rows])
    assert.deepEqual(await tablesOf(source), tables)
    const [changed] = await tenant('copy').findMany('contacts', ['updatedAt'], ['c-1'])
    assert.equal(changed?.updatedAt, (await readContact(storage, 'c-1'))?.updatedAt)
    assert.notEqual(await forms.find('form-1'), null)
  },
  async 'a restoration begins in an organization without rows, and one at a time'(storage) {
    const { administration, organizationStore } = storage
    const source = await filled(storage)
    assert.equal(await source.begin(restoration('r-1'), null), 'has_rows')
    assert.notEqual(await administration.findOrganization('org-a'), null)
    await administration.saveOrganization(organization('org-b', { slug: 'taken' }))
    assert.equal(await organizationStore('copy').begin(restoration('r-1'), 'taken'), 'slug_taken')
    assert.equal(await organizationStore('copy').restoration(), null)
    assert.equal(await organizationStore('copy').begin(restoration('r-1'), 'free'), 'begun')
    assert.equal(await organizationStore('copy').begin(restoration('r-1'), 'free'), 'restoring')
    assert.equal(await organizationStore('copy').begin(restoration('r-2'), 'free'), 'restoring')
    assert.equal((await organizationStore('copy').restoration())?.restoreId, 'r-1')
    assert.equal(await administration.saveOrganization(organization('copy')), 'restoring')
  },
  async 'how long rows are kept is what the archive says, and not what the organization kept before'({
    administration,
    organizationStore,
  }) {
    await administration.saveOrganization(organization('copy'))
    const target = organizationStore('copy')
    const row = await ownRow(target)
    await target.setRetention({ submissions: 9, sends: 5 }, at(0), undefined)
    assert.equal(await target.begin(restoration('r-1'), null), 'begun')
    const [fields, rows] = [await fieldsOf(target, 'retention'), { kind: 'sends', days: 7, dueAt: at(0) }]
    const kept = fields.map((field) => rows[field as keyof typeof rows])
    await write(target, 'r-1', new Map([['retention', [kept]]]))
    const opening = { restoreId: 'r-1', row, parentId: null, endedIssuers: [], now: at(60) }
    assert.equal(await target.open(opening), 'opened')
    assert.deepEqual(await target.retention(), { submissions: null, sends: 7 })
  },
  async 'a part is written once, in its turn, and only rows that the table can hold'(storage) {
    const source = await filled(storage)
    const rows = await rowsOf(source, 'contacts')
    const fields = await fieldsOf(source, 'contacts')
    const target = storage.organizationStore('copy')
    const part: RestoredPart = {
      restoreId: 'r-1',
      part: 1,
      table: 'contacts',
      fields,
      rows,
      progress: '{}',
    }
    assert.equal(await target.write(part), 'lost')
    await target.begin(restoration('r-1'), null)
    for (const wrong of [{ part: 2 }, { part: 0 }, { restoreId: 'r-2' }])
      assert.equal(await target.write({ ...part, ...wrong }), 'lost')
    assert.deepEqual(await rowsOf(target, 'contacts'), [])
    const nameless = rows.map((row) => row.map((value, at) => (fields[at] === 'createdAt' ? null : value)))
    assert.equal(await target.write({ ...part, rows: nameless }), 'unfit')
    assert.equal((await target.restoration())?.nextPart, 1)
    assert.equal(await target.write(part), 'written')
    assert.equal(await target.write(part), 'lost')
    // Rows that are there already stay, and a part may be empty.
    const others = rows.map((row) => row.map((value, at) => (fields[at] === 'firstName' ? 'Else' : value)))
    assert.equal(await target.write({ ...part, part: 2, rows: others }), 'written')
    assert.equal(await target.write({ ...part, part: 3, rows: [] }), 'written')
    assert.deepEqual(await rowsOf(target, 'contacts'), rows)
  },
  async 'keys whose issuer was revoked with all that descends from it come back revoked'({
    administration,
    organizationStore,
  }) {
    await administration.saveOrganization(organization('copy'))
    for (const [keyId, issuedBy] of [
      ['key-1', 'ended'],
      ['key-2', 'working'],
      ['key-3', null],
    ] as const)
      await administration.addKey(tenantKey('copy', keyId, { issuedBy }))
    const target = organizationStore('copy')
    const row = await ownRow(target)
    await target.begin(restoration('r-1'), null)
    const opening = { restoreId: 'r-1', row, parentId: null, endedIssuers: ['ended', 'none'], now: at(60) }
    assert.equal(await target.open(opening), 'opened')
    assert.deepEqual(
      (await administration.listKeys('copy', null, 9)).map(({ keyId, revokedAt }) => [keyId, revokedAt]),
      [
        ['key-1', at(60)],
        ['key-2', null],
        ['key-3', null],
      ],
    )
  },
  async 'what an erasure would change is counted before, and in a closed organization it is changed as of an instant'(
    storage,
  ) {
    const { sends, tenant, organizationStore } = storage
    const source = await filled(storage)
    const before = await tablesOf(source)
    const found = await stepped((position) => source.findSome(ada, position))
    assert.deepEqual(found, { rows: 4, contacts: 1 })
    assert.deepEqual(await tablesOf(source), before)
    assert.equal(await source.openImport(), null)

    const target = organizationStore('copy')
    await target.begin(restoration('r-1'), null)
    await write(
      target,
      'r-1',
      new Map([...before].filter(([name]) => name !== 'api_keys' && name !== 'forms')),
    )
    const person = { contactIds: ['c-1', 'none'], emailKeys: [], phones: [] }
    assert.deepEqual(await target.findPerson(person), {
      contactIds: ['c-1'],
      emailKeys: ['ada@example.com'],
      phones: ['+12125550100'],
      clockAt: null,
    })
    assert.deepEqual(await stepped((position) => target.eraseSome(ada, position, at(500))), found)
    assert.deepEqual(await stepped((position) => target.findSome(ada, position)), { rows: 0, contacts: 0 })
    assert.deepEqual(await stepped((position) => target.eraseSome(ada, position, at(600))), {
      rows: 0,
      contacts: 0,
    })
    const submissions = await tenant('copy').findMany(
      'form-submissions',
      ['submissionId', 'answers', 'updatedAt'],
      ['s-1', 's-2', 's-3'],
    )
    assert.deepEqual(
      submissions.map(({ answers, updatedAt }) => [answers, updatedAt === at(500)]),
      [
        [{}, true],
        [{}, true],
        [{ mail: 'grace@example.com' }, false],
      ],
    )
    const recipients = (await sends.open('copy').list(null, 9)).map(({ to }) => to).toSorted()
    assert.deepEqual(recipients, ['erased', 'grace@example.com'])
    // Nothing of the organization that it came from has changed.
    assert.deepEqual(await tablesOf(source), before)
  },
})
