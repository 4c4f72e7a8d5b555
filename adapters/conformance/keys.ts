import assert from 'node:assert/strict'
import type { KeyClaim } from '../../ports/index.ts'
import {
  at,
  claimOf,
  contact,
  contactPage,
  form,
  organization,
  tenantKey,
  twoTenants,
  workingKey,
  START_MS,
  readContact,
  submission,
  submissionRow,
} from './fixtures.ts'
import { casesFrom } from './cases.ts'

export const keyCases = casesFrom(twoTenants, {
  async 'a good key reads, and the read shows the key and the organization'({ keyed }) {
    const read = await keyed.open(claimOf('org-a', 'key-a')).read([])
    const key = workingKey(tenantKey('org-a', 'key-a'))
    assert.deepEqual(read, {
      authenticated: true,
      key,
      organization: organization('org-a'),
      results: [],
      budget: null,
    })
  },
  async 'an unknown key, one of another organization and a platform key get nothing'({
    keyed,
    administration,
  }) {
    await administration.addKey(tenantKey('org-a', 'key-p', { kind: 'platform', organizationId: null }))
    const claims = [
      claimOf('org-a', 'key-none'),
      claimOf('org-a', 'key-b'),
      claimOf('org-b', 'key-a'),
      claimOf('org-none', 'key-a'),
      claimOf('org-a', 'key-p'),
      claimOf('', 'key-p'),
    ]
    for (const claim of claims) {
      assert.deepEqual(await keyed.open(claim).read([contactPage()]), { authenticated: false })
    }
  },
  async 'a key is proven by its hash, under the current root secret or the previous one, and by nothing else'(
    storage,
  ) {
    await storage.tenant('org-a').upsert('contacts', [contact('c')])
    const outcomeOf = async (...hashes: KeyClaim['hashes']) => {
      const claim = { organizationId: 'org-a', keyId: 'key-a', hashes }
      return (await storage.keyed.open(claim).read([contactPage()])).authenticated
    }
    assert.equal(await outcomeOf('hash of key-a'), true)
    assert.equal(await outcomeOf('forged', 'hash of key-a'), true)
    assert.equal(await outcomeOf('forged'), false)
    assert.equal(await outcomeOf('hash of key-b', 'forged'), false)
    assert.equal(await outcomeOf(''), false)
  },
  async 'a revoked key fails on its very next read, and keeps the instant of its first revocation'({
    keyed,
    administration,
  }) {
    const reader = keyed.open(claimOf('org-a', 'key-a'))
    assert.equal((await reader.read([])).authenticated, true)
    assert.equal(await administration.revokeKey('key-a', at(1)), true)
    assert.equal((await reader.read([])).authenticated, false)
    assert.equal(await administration.revokeKey('key-a', at(2)), true)
    assert.equal((await administration.listKeys('org-a', null, 100))[0]?.revokedAt, at(1))
    assert.equal(await administration.revokeKey('key-none', at(1)), false)
  },
  async 'keys are listed oldest first, per organization and for the platform; one id is stored once'({
    administration,
  }) {
    await administration.addKey(tenantKey('org-a', 'key-2', { createdAt: at(-5) }))
    await administration.addKey(tenantKey('org-a', 'key-1', { createdAt: at(-5) }))
    const platform = tenantKey('', 'key-p', { kind: 'platform', organizationId: null })
    await administration.addKey(platform)
    const idsOf = async (id: string | null) =>
      (await administration.listKeys(id, null, 100)).map(({ keyId }) => keyId)
    assert.deepEqual(await idsOf('org-a'), ['key-1', 'key-2', 'key-a'])
    assert.deepEqual(await idsOf('org-b'), ['key-b'])
    const [, second] = await administration.listKeys('org-a', { value: at(-5), id: 'key-1' }, 2)
    assert.equal(second?.keyId, 'key-a')
    assert.deepEqual(await administration.listKeys(null, null, 100), [platform])
    await assert.rejects(administration.addKey(tenantKey('org-b', 'key-a')))
    assert.equal((await administration.listKeys('org-a', null, 100)).length, 3)
  },
  async 'a platform key is found by its id until it is revoked; a tenant key never is'({
    keyed,
    administration,
  }) {
    const platform = tenantKey('', 'key-p', { kind: 'platform', organizationId: null })
    await administration.addKey(platform)
    assert.deepEqual(await keyed.findPlatformKey('key-p'), platform)
    assert.equal(await keyed.findPlatformKey('key-a'), null)
    assert.equal(await keyed.findPlatformKey('key-none'), null)
    await administration.revokeKey('key-p', at(1))
    assert.equal(await keyed.findPlatformKey('key-p'), null)
  },
  async 'keys that work and form passwords are counted and found by the root secret that they are hashed under'({
    administration,
    tenant,
  }) {
    const { secretVersion } = tenantKey('org-a', 'any')
    const counts = (version: string | null) => administration.countHashes(version)
    assert.deepEqual(await counts(secretVersion), { keys: 2, formPasswords: 0 })
    await administration.addKey(
      tenantKey('', 'key-p', { kind: 'platform', organizationId: null, secretVersion: 'old_-1' }),
    )
    await administration.addKey(tenantKey('org-a', 'key-c', { secretVersion: 'old_-1' }))
    await administration.addKey(tenantKey('org-a', 'key-d', { secretVersion: 'old_-1', revokedAt: at(1) }))
    await administration.addKey(tenantKey('org-a', 'key-e', { secretVersion: 'old_-1', expiresAt: at(0) }))
    const hash = (version: string) => `pbkdf2-sha256$100000$${version}$c2FsdA$aGFzaA`
    await tenant('org-a').upsert('forms', [form('f-none'), form('f-old', { passwordHash: hash('old_-1') })])
    await tenant('org-b').upsert('forms', [
      form('f-a', { passwordHash: hash('old_-1'), isPublished: false }),
      form('f-new', { passwordHash: hash(secretVersion) }),
      form('f-like', { passwordHash: hash('oldX-1') }),
    ])
    assert.deepEqual(await counts('old_-1'), { keys: 2, formPasswords: 2 })
    assert.deepEqual(await counts(secretVersion), { keys: 2, formPasswords: 1 })
    assert.deepEqual(await counts('unknown'), { keys: 0, formPasswords: 0 })
    assert.deepEqual(await counts(null), { keys: 4, formPasswords: 4 })
    const found = [
      { kind: 'key', id: 'key-c', organizationId: 'org-a' },
      { kind: 'key', id: 'key-p', organizationId: null },
      { kind: 'form', id: 'f-a', organizationId: 'org-b' },
      { kind: 'form', id: 'f-old', organizationId: 'org-a' },
    ]
    assert.deepEqual(await administration.findHashes('old_-1', 10), found)
    assert.deepEqual(await administration.findHashes('old_-1', 3), found.slice(0, 3))
  },
  async 'a rehash replaces hash and version, but not of a revoked key'({ administration }) {
    await administration.rehashKey('key-a', 'new', 'v2')
    await administration.rehashKey('key-none', 'new', 'v2')
    await administration.revokeKey('key-b', at(1))
    await administration.rehashKey('key-b', 'new', 'v2')
    const changed = tenantKey('org-a', 'key-a', { hash: 'new', secretVersion: 'v2' })
    assert.deepEqual(await administration.listKeys('org-a', null, 100), [changed])
    assert.deepEqual(await administration.listKeys('org-b', null, 100), [
      tenantKey('org-b', 'key-b', { revokedAt: at(1) }),
    ])
  },
})

/** The attributes that an operator gives a key, its end, its successor and its last use. */
export const keyAttributeCases = casesFrom(twoTenants, {
  async 'what an operator says of a key is kept, and comes with the read that proves it'({
    keyed,
    administration,
  }) {
    const limited = tenantKey('org-a', 'key-l', {
      label: 'Nightly sync — Zoë',
      scope: 'read',
      expiresAt: at(60),
      ratePerMinute: 600,
    })
    await administration.addKey(limited)
    assert.deepEqual(await administration.findKey('key-l'), limited)
    const read = await keyed.open(claimOf('org-a', 'key-l')).read([])
    assert(read.authenticated)
    assert.deepEqual(read.key, workingKey(limited))
    assert.equal(await administration.findKey('key-none'), null)
  },
  async 'a key reads until the instant at which it expires, and from then on nothing'({
    keyed,
    administration,
    clock,
    tenant,
  }) {
    await tenant('org-a').upsert('contacts', [contact('c')])
    await administration.addKey(tenantKey('org-a', 'key-e', { expiresAt: at(60) }))
    const platform = { kind: 'platform', organizationId: null, expiresAt: at(60) } as const
    await administration.addKey(tenantKey('', 'key-p', platform))
    const reader = keyed.open(claimOf('org-a', 'key-e'))
    const outcomes = async () => [
      (await reader.read([contactPage()])).authenticated,
      (await reader.read([])).authenticated,
      (await keyed.findPlatformKey('key-p')) !== null,
    ]
    clock.ms = START_MS + 59_999
    assert.deepEqual(await outcomes(), [true, true, true])
    clock.ms = START_MS + 60_000
    assert.deepEqual(await outcomes(), [false, false, false])
    assert.equal((await administration.listKeys('org-a', null, 100)).length, 2)
  },
  async 'a successor takes the place of a key that ends after the overlap, and of each key once'({
    keyed,
    administration,
    clock,
  }) {
    const rotated = (successorId: string) => {
      const successor = tenantKey('org-a', successorId, { label: 'next', createdAt: at(1) })
      return administration.rotateKey({ keyId: 'key-a', successor, endsAt: at(3600) })
    }
    assert.equal(await rotated('key-2'), true)
    const keys = [
      tenantKey('org-a', 'key-a', { expiresAt: at(3600), successorId: 'key-2' }),
      tenantKey('org-a', 'key-2', { label: 'next', createdAt: at(1) }),
    ]
    assert.deepEqual(await administration.listKeys('org-a', null, 100), keys)
    const works = async (keyId: string) => (await keyed.open(claimOf('org-a', keyId)).read([])).authenticated
    assert.deepEqual([await works('key-a'), await works('key-2')], [true, true])
    assert.equal(await rotated('key-3'), false)
    assert.deepEqual(await administration.listKeys('org-a', null, 100), keys)
    clock.ms = START_MS + 3_600_000
    assert.deepEqual([await works('key-a'), await works('key-2')], [false, true])
  },
  async 'a key that does not work has no successor, and a rotation makes no key last longer'({
    administration,
    clock,
  }) {
    await administration.addKey(tenantKey('org-a', 'key-e', { expiresAt: at(60) }))
    await administration.addKey(tenantKey('org-a', 'key-late', { expiresAt: at(60) }))
    await administration.addKey(tenantKey('org-a', 'key-r', { revokedAt: at(0) }))
    const rotated = (keyId: string, successorId: string) => {
      const successor = tenantKey('org-a', successorId, { createdAt: at(1) })
      return administration.rotateKey({ keyId, successor, endsAt: at(3600) })
    }
    assert.equal(await rotated('key-r', 'key-r2'), false)
    assert.equal(await rotated('key-none', 'key-n2'), false)
    assert.equal(await rotated('key-e', 'key-e2'), true)
    assert.equal((await administration.findKey('key-e'))?.expiresAt, at(60))
    clock.ms = START_MS + 60_000
    assert.equal(await rotated('key-late', 'key-late2'), false)
    const ids = (await administration.listKeys('org-a', null, 100)).map(({ keyId }) => keyId)
    assert.deepEqual(ids, ['key-a', 'key-e', 'key-late', 'key-r', 'key-e2'])
  },
  async 'a rotation that fails in the middle leaves the key as it was'({ administration }) {
    const taken = tenantKey('org-a', 'key-b')
    await assert.rejects(administration.rotateKey({ keyId: 'key-a', successor: taken, endsAt: at(1) }))
    assert.deepEqual(await administration.listKeys('org-a', null, 100), [tenantKey('org-a', 'key-a')])
  },
  async 'the last use of a key only goes forward'({ administration }) {
    const lastUse = async () => (await administration.findKey('key-a'))?.lastUsedAt
    assert.equal(await lastUse(), null)
    for (const [noted, seen] of [
      [at(3600), at(3600)],
      [at(0), at(3600)],
      [at(7200), at(7200)],
    ] as const) {
      await administration.noteKeyUse('key-a', noted)
      assert.equal(await lastUse(), seen)
    }
    await administration.noteKeyUse('key-none', at(0))
    assert.equal((await administration.findKey('key-b'))?.lastUsedAt, null)
  },
})

export const organizationCases = casesFrom(twoTenants, {
  async 'an organization is kept as it was saved and replaced as a whole'({ administration }) {
    const full = organization('org-c', {
      slug: 'c',
      parentId: 'org-a',
      smsNumber: '+12125550100',
      phoneCountry: 'DE',
      posSource: { kind: 'odbc_second', tenant: 'dsn' },
      billingEvents: false,
      analytics: true,
      retentionOfferAnalytics: true,
      automationHourly: 2,
    })
    assert.equal(await administration.saveOrganization(full), 'saved')
    assert.deepEqual(await administration.findOrganization('org-c'), full)
    assert.equal(await administration.saveOrganization(organization('org-c')), 'saved')
    assert.deepEqual(await administration.findOrganization('org-c'), organization('org-c'))
    assert.equal(await administration.findOrganization('org-none'), null)
  },
  async 'settings that were made from what is no longer stored are not saved'({ administration }) {
    const [first, posSource] = [organization('org-a'), { kind: 'odbc_second', tenant: 'dsn' } as const]
    const second = organization('org-a', { slug: 's', posSource, analytics: true })
    const third = organization('org-a', { name: 'Third' })
    assert.equal(await administration.saveOrganization(second, first), 'saved')
    for (const stale of [first, null, { ...second, slug: null }, { ...second, analytics: false }])
      assert.equal(await administration.saveOrganization(third, stale), 'changed')
    assert.deepEqual(await administration.findOrganization('org-a'), second)
    assert.equal(await administration.saveOrganization(third, second), 'saved')
    const added = organization('org-c')
    assert.equal(await administration.saveOrganization(added, added), 'changed')
    assert.equal(await administration.findOrganization('org-c'), null)
    assert.equal(await administration.saveOrganization(added, null), 'saved')
  },
  async 'organizations are listed by their id, in pages'({ administration }) {
    const child = organization('org-a-1', { parentId: 'org-a' })
    await administration.saveOrganization(child)
    const all = [organization('org-a'), child, organization('org-b')]
    assert.deepEqual(await administration.listOrganizations(null, 10), all)
    assert.deepEqual(await administration.listOrganizations(null, 1), all.slice(0, 1))
    assert.deepEqual(await administration.listOrganizations('org-a', 1), all.slice(1, 2))
    assert.deepEqual(await administration.listOrganizations('org-b', 10), [])
  },
  async 'a slug belongs to one organization; having none is no conflict'({ administration }) {
    assert.equal(await administration.saveOrganization(organization('org-a', { slug: 's' })), 'saved')
    assert.equal(
      await administration.saveOrganization(organization('org-a', { slug: 's', name: 'A' })),
      'saved',
    )
    assert.equal(
      await administration.saveOrganization(organization('org-b', { slug: 's', name: 'B' })),
      'slug_taken',
    )
    assert.deepEqual(await administration.findOrganization('org-b'), organization('org-b'))
    assert.equal(await administration.saveOrganization(organization('org-c', { slug: 's' })), 'slug_taken')
    assert.equal(await administration.findOrganization('org-c'), null)
    assert.equal(await administration.saveOrganization(organization('org-a')), 'saved')
    assert.equal(await administration.saveOrganization(organization('org-b', { slug: 's' })), 'saved')
  },
  async 'a parent must exist and be another organization'({ administration }) {
    const child = (parentId: string) => organization('org-a', { parentId, name: 'Changed' })
    assert.equal(await administration.saveOrganization(child('org-none')), 'parent_missing')
    assert.equal(await administration.saveOrganization(child('org-a')), 'parent_missing')
    assert.deepEqual(await administration.findOrganization('org-a'), organization('org-a'))
    assert.equal(await administration.saveOrganization(child('org-b')), 'saved')
  },
  async 'another phone country is another version of every form of the organization, and of no other form'(
    storage,
  ) {
    await storage.tenant('org-a').upsert('forms', [form('form-1'), form('form-2')])
    await storage.tenant('org-b').upsert('forms', [form('form-b')])
    const versions = async () =>
      Promise.all(['form-1', 'form-2', 'form-b'].map(async (id) => (await storage.forms.find(id))?.version))
    await storage.administration.saveOrganization(organization('org-a', { name: 'Renamed' }))
    assert.deepEqual(await versions(), [1, 1, 1])
    await storage.administration.saveOrganization(organization('org-a', { phoneCountry: 'DE' }))
    assert.deepEqual(await versions(), [2, 2, 1])
    const refused = organization('org-a', { phoneCountry: 'FR', parentId: 'org-none' })
    await storage.administration.saveOrganization(refused)
    assert.deepEqual(await versions(), [2, 2, 1])
  },
})

export const isolationCases = casesFrom(twoTenants, {
  async 'two organizations keep rows of the same ids apart, in pages, by id and when they change'(storage) {
    const { read, tenant } = storage
    await tenant('org-a').upsert('contacts', [contact('c-1', { firstName: 'Ada' }), contact('c-2')])
    await tenant('org-b').upsert('contacts', [contact('c-1', { firstName: 'Bob' }), contact('c-3')])
    await tenant('org-b').upsert('contacts', [contact('c-1', { firstName: 'Ben' })])
    const page = contactPage({ select: ['contactId', 'firstName'] })
    assert.deepEqual(await read('org-a', [page]), [
      [
        { contactId: 'c-2', firstName: null },
        { contactId: 'c-1', firstName: 'Ada' },
      ],
    ])
    assert.deepEqual(await read('org-b', [page]), [
      [
        { contactId: 'c-3', firstName: null },
        { contactId: 'c-1', firstName: 'Ben' },
      ],
    ])
    assert.equal(await readContact(storage, 'c-3', 'org-a'), undefined)
    assert.deepEqual(await tenant('org-a').findMany('contacts', ['contactId'], ['c-3']), [])
  },
  async 'a position taken in one organization shows nothing of it in another'({ read, tenant }) {
    await tenant('org-a').upsert('contacts', [contact('a-1'), contact('a-2', { createdAt: at(5) })])
    await tenant('org-b').upsert('contacts', [contact('b-1', { createdAt: at(1) })])
    const [rows] = await read('org-b', [contactPage({ after: { value: at(5), id: 'a-2' } })])
    assert.deepEqual(rows, [{ contactId: 'b-1', createdAt: at(1) }])
  },
  async 'form ids are unique across the service: foreign ones are told, and never overwritten'({
    tenant,
    forms,
  }) {
    await tenant('org-a').upsert('forms', [form('form-1'), form('form-2')])
    const ids = ['form-1', 'form-2', 'form-3']
    assert.deepEqual([...(await tenant('org-b').foreignIds('forms', ids))].sort(), ['form-1', 'form-2'])
    assert.deepEqual(await tenant('org-a').foreignIds('forms', ids), [])
    assert.deepEqual(await tenant('org-a').foreignIds('forms', []), [])
    const theft = [form('form-3'), form('form-1', { name: 'Stolen' })]
    await assert.rejects(tenant('org-b').upsert('forms', theft), /belongs to another organization/)
    assert.equal((await forms.find('form-1'))?.organizationId, 'org-a')
    assert.equal(await forms.find('form-3'), null)
  },
  async 'ids that are unique only within an organization are never foreign'({ tenant }) {
    await tenant('org-a').upsert('contacts', [contact('c')])
    assert.deepEqual(await tenant('org-b').foreignIds('contacts', ['c']), [])
  },
  async 'a form is found by its id alone, published or not, and opens its owner'(storage) {
    const definition = { fields: [{ id: 'constructor' }] }
    const unpublished = form('form-b', { isPublished: false, passwordHash: 'h', definition })
    await storage.tenant('org-b').upsert('forms', [unpublished])
    const found = await storage.forms.find('form-b')
    assert.deepEqual(found, {
      organizationId: 'org-b',
      formId: 'form-b',
      version: 1,
      isPublished: false,
      definition,
      passwordHash: 'h',
      phoneCountry: 'US',
      organizationName: 'Organization org-b',
    })
    assert.equal(await storage.forms.find('form-none'), null)
    await storage.tenant(found.organizationId).upsert('contacts', [contact('c')])
    assert.notEqual(await readContact(storage, 'c', 'org-b'), undefined)
    assert.equal(await readContact(storage, 'c', 'org-a'), undefined)
  },
  async 'submissions of the same id in two organizations are two submissions'({ read, tenant }) {
    await tenant('org-a').upsert('forms', [form('form-1')])
    await tenant('org-b').upsert('form-submissions', [submissionRow('s-1', { answers: { of: 'b' } })])
    const saved = submission('s-1', { answers: { of: 'a' } })
    assert.deepEqual(await tenant('org-a').saveSubmission(saved), {
      kind: 'saved',
      contactId: null,
      outboxIds: [],
    })
    const one = { kind: 'one', collection: 'form-submissions', select: ['answers'], id: 's-1' } as const
    assert.deepEqual(await read('org-a', [one]), [[{ answers: { of: 'a' } }]])
    assert.deepEqual(await read('org-b', [one]), [[{ answers: { of: 'b' } }]])
  },
})
