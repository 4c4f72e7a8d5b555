import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../../ports/operators.ts'
import type { StoredOperatorKey, Organization } from '../../../ports/organizations.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { organization, START_MS, tenantKey } from '../../../adapters/conformance/fixtures.ts'
import { placeIn, saveIn, slugsIn } from '../../../test/support/moving/placed-organizations.ts'
import {
  createScratchPlaces,
  OWN,
  type ScratchIsolate,
  type ScratchPlaces,
} from '../../../test/support/scratch/scratch-places.ts'
import { toInstant } from '../../text/instant.ts'

let scratch: ScratchPlaces
let isolate: ScratchIsolate

beforeEach(() => {
  scratch = createScratchPlaces()
  isolate = scratch.isolate()
})

const NOW = toInstant(START_MS)
const SHARED: PlaceChoice = { kind: 'shared' }
const inEurope: PlaceChoice = { kind: 'own', region: 'weur', jurisdiction: null }

const save = (
  organizationId: string,
  settings: Partial<Organization> = {},
  choice?: PlaceChoice,
  by = isolate,
) => saveIn(by, organizationId, settings, choice)
const slugs = () => slugsIn(scratch)
const placeOf = (id: string) => placeIn(scratch, id)

describe('where an organization goes', () => {
  test('a child goes where its parent is, however deep', async () => {
    await save('root', {}, OWN)
    await save('child', { parentId: 'root' })
    await save('grandchild', { parentId: 'child' }, OWN)
    await save('plain')
    await save('plain-child', { parentId: 'plain' })
    const places = await Promise.all(['root', 'child', 'grandchild', 'plain', 'plain-child'].map(placeOf))
    expect(places).toEqual(['root', 'root', 'root', 'shared', 'shared'])
    expect(scratch.familyAt('child.1')).toBeUndefined()
  })

  test.each<[string, Partial<Organization>, PlaceChoice | undefined, string]>([
    ['root', {}, SHARED, 'elsewhere'],
    ['root', {}, inEurope, 'elsewhere'],
    ['root', {}, OWN, 'saved'],
    ['plain', {}, OWN, 'elsewhere'],
    ['plain', { parentId: 'root' }, undefined, 'elsewhere'],
    ['root', { parentId: 'plain' }, undefined, 'elsewhere'],
    ['root', { parentId: 'rival' }, undefined, 'elsewhere'],
    ['child', { parentId: 'rival' }, undefined, 'elsewhere'],
    ['child', { parentId: 'plain' }, undefined, 'elsewhere'],
    ['child', { parentId: null }, undefined, 'elsewhere'],
    ['child', { parentId: 'nobody' }, undefined, 'parent_missing'],
    ['child', { parentId: 'child' }, undefined, 'parent_missing'],
    ['child', { parentId: 'grandchild' }, undefined, 'parent_below'],
    ['root', { parentId: 'grandchild' }, undefined, 'parent_below'],
    ['root', { parentId: 'root' }, undefined, 'parent_missing'],
    ['grandchild', { parentId: 'root' }, undefined, 'saved'],
    ['new', { parentId: 'root' }, SHARED, 'elsewhere'],
    ['new', { parentId: 'plain' }, OWN, 'elsewhere'],
    ['new', { parentId: 'nobody' }, OWN, 'parent_missing'],
    ['new', { parentId: 'new' }, OWN, 'parent_missing'],
    ['new', { parentId: 'nobody' }, undefined, 'parent_missing'],
    ['new', { slug: 'taken' }, OWN, 'slug_taken'],
    ['new', { slug: 'taken-plain' }, OWN, 'slug_taken'],
    ['new', { slug: 'taken' }, undefined, 'slug_taken'],
    ['child', { slug: 'taken' }, undefined, 'slug_taken'],
  ])('%s with %j, asked for %j: %s', async (organizationId, settings, choice, outcome) => {
    await save('root', { slug: 'taken' }, OWN)
    await save('child', { parentId: 'root' })
    await save('grandchild', { parentId: 'child' })
    await save('rival', {}, OWN)
    await save('plain', { slug: 'taken-plain' })
    const before = await isolate.administration.findOrganization(organizationId)
    expect(await save(organizationId, settings, choice)).toBe(outcome)
    if (outcome === 'saved') return
    expect(await isolate.administration.findOrganization(organizationId)).toEqual(before)
    if (organizationId === 'new') expect(await scratch.directory.placeOf('new')).toBeNull()
  })

  test('without databases of their own families are not put into them', async () => {
    const { places } = isolate
    await save('acme', {}, inEurope)
    expect(await scratch.directory.placeOf('acme')).toMatchObject({ region: 'weur', jurisdiction: null })
    const { createPlacedStorage } = await import('../placed-storage.ts')
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const bare = createPlacedStorage({ ...places, databases: null }, log)
    expect(await bare.administration.saveOrganization(organization('new'), null, OWN)).toBe('no_places')
    expect(await bare.administration.saveOrganization(organization('new'), null)).toBe('saved')
  })
})

describe('killed at any point', () => {
  /** How many calls the work makes when nothing fails. */
  async function callsOf(work: () => Promise<unknown>): Promise<number> {
    const before = scratch.calls.length
    await work()
    return scratch.calls.length - before
  }

  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a new family', () => save('acme', { slug: 'acme' }, inEurope)],
    ['a new child', () => save('child', { parentId: 'root', slug: 'child' })],
    ['another slug', () => save('root', { slug: 'renamed' })],
    [
      'a new key',
      async () => {
        const found = await isolate.administration.findKey('key-1')
        if (found === null) await isolate.administration.addKey(tenantKey('root', 'key-1'))
      },
    ],
  ]

  test.each(steps)('%s is made whole by the next attempt', async (_, work) => {
    const fresh = async () => {
      scratch = createScratchPlaces()
      isolate = scratch.isolate()
      await save('root', { slug: 'first' }, OWN)
      isolate = scratch.isolate()
    }
    await fresh()
    const calls = await callsOf(work)
    const whole = JSON.stringify([await slugs(), await scratch.run('select * from placed_organizations')])
    for (const side of ['before', 'after'] as const) {
      for (let point = 1; point <= calls; point += 1) {
        await fresh()
        let made = 0
        scratch[side] = () => {
          made += 1
          if (made === point) throw new Error('killed')
        }
        const isKilled = await work().then(
          () => false,
          (error: unknown) => String(error) === 'Error: killed',
        )
        // A call that was refused has no answer that could be lost.
        expect([side, point, isKilled || made < point]).toEqual([side, point, true])
        scratch[side] = () => undefined
        // A reader in between gets an answer: it sees none of the change, or all of it.
        isolate = scratch.isolate()
        await isolate.administration.findOrganization('acme')
        await work()
        const left = [await slugs(), await scratch.run('select * from placed_organizations')]
        expect([side, point, JSON.stringify(left)]).toEqual([side, point, whole])
      }
    }
  })

  test('a child of a family that was only begun has no parent', async () => {
    scratch.before = ({ kind }) => {
      if (kind === 'create') throw new Error('killed')
    }
    await expect(save('acme', {}, OWN)).rejects.toThrow('killed')
    scratch.before = () => undefined
    expect(await isolate.administration.findOrganization('acme')).toBeNull()
    expect(await save('child', { parentId: 'acme' })).toBe('parent_missing')
    expect(await save('acme', {}, SHARED)).toBe('elsewhere')
    expect(await save('acme')).toBe('saved')
    expect(await placeOf('acme')).toBe('acme')
  })
})

test('a key that replaces another one in a family’s database is found, and can be revoked', async () => {
  await save('acme', {}, OWN)
  await isolate.administration.addKey(tenantKey('acme', 'key-1'))
  const successor = tenantKey('acme', 'key-2')
  await isolate.administration.rotateKey({ keyId: 'key-1', successor, endsAt: NOW })
  isolate = scratch.isolate()
  expect(await isolate.administration.findKey('key-2')).toMatchObject({ organizationId: 'acme' })
  expect(await isolate.administration.revokeKey('key-2', NOW)).toBe(true)
})

describe('what operators changed in a family’s database is recorded', () => {
  beforeEach(() => save('acme', { slug: 'acme' }, OWN))

  const entry = (auditId: string): AuditEntry => ({
    auditId,
    at: NOW,
    operatorKeyId: 'ok',
    operator: 'ada',
    action: 'test',
    organizationId: 'acme',
    subject: { type: 'key', id: auditId },
  })
  const outcomes = async () =>
    (await isolate.audit.list({ organizationId: 'acme' }, null, 50)).map(({ outcome }) => outcome)

  test('as done, as refused, and as failed when nobody knows', async () => {
    const changes = (auditId: string) => isolate.operatorChanges(entry(auditId))
    expect(await changes('a').revokeKey('none', NOW)).toBe(false)
    await changes('b').addKey(tenantKey('acme', 'key-1'))
    expect(await outcomes()).toEqual(['done', 'refused'])
    scratch.before = ({ at }) => {
      if (at === 'acme.1') throw new Error('killed')
    }
    await expect(changes('c').revokeKey('key-1', NOW)).rejects.toThrow('killed')
    scratch.before = () => undefined
    const stored = await isolate.administration.findOrganization('acme')
    const stale = { ...organization('acme'), name: 'Old' }
    expect(await changes('d').saveOrganization({ ...stale, name: 'New' }, stale)).toBe('changed')
    expect(await changes('e').saveOrganization({ ...organization('acme'), name: 'New' }, stored)).toBe(
      'saved',
    )
    expect(await outcomes()).toEqual(['done', 'refused', 'failed', 'done', 'refused'])
  })

  test('once, as done, when the family moves to the shared database in between', async () => {
    await isolate.operatorChanges(entry('a')).addKey(tenantKey('acme', 'key-1'))
    let isMoved = false
    scratch.before = async ({ at }) => {
      if (at !== 'acme.1' || isMoved) return
      isMoved = true
      await scratch.move('acme', 'shared')
    }
    expect(await isolate.operatorChanges(entry('b')).revokeKey('key-1', NOW)).toBe(true)
    expect(await outcomes()).toEqual(['done', 'done'])
  })
})

describe('a revocation of all that descends from an operator key', () => {
  const entry = (auditId: string, keyId = 'op'): AuditEntry => ({
    auditId,
    at: NOW,
    operatorKeyId: null,
    operator: 'ada',
    action: 'operatorKey.revoke',
    organizationId: null,
    subject: { type: 'key', id: keyId },
  })
  const operatorKey = (keyId: string, issuedBy: string | null): StoredOperatorKey => ({
    ...{ keyId, operator: 'ada', role: 'admin', hash: keyId, secretVersion: 'v1', createdAt: NOW },
    ...{ expiresAt: null, revokedAt: null, lastUsedAt: null, issuedBy },
  })
  const end = (auditId: string, by = isolate) =>
    by
      .operatorChanges(entry(auditId))
      .revokeOperatorKey({ keyId: 'op', revokedAt: NOW, withDescendants: true })
  const issue = (organizationId: string, keyId: string, by = isolate) =>
    by.operatorChanges(entry(keyId)).addKey(tenantKey(organizationId, keyId, { issuedBy: 'op' }))
  const isRevoked = async (keyId: string) =>
    (await scratch.isolate().administration.findKey(keyId))?.revokedAt !== null
  const record = async (auditId: string) =>
    (await isolate.audit.list({}, null, 50)).find((found) => found.auditId === auditId)

  beforeEach(async () => {
    await save('acme', {}, OWN)
    await save('rival', {}, OWN)
    await save('plain')
    const added = { key: operatorKey('op', null), proof: null }
    await isolate.operatorChanges(entry('op')).addOperatorKey(added)
    for (const id of ['acme', 'rival', 'plain']) expect(await issue(id, `key-${id}`)).toBe(true)
  })

  test('names the organization whose database does not answer; the same again ends the rest', async () => {
    scratch.before = ({ at }) => {
      if (at === 'acme.1') throw new Error('unavailable')
    }
    expect(await end('first')).toMatchObject({
      keys: [
        { keyId: 'key-plain', organizationId: 'plain' },
        { keyId: 'key-rival', organizationId: 'rival' },
      ],
      unreached: ['acme'],
    })
    expect(await record('first')).toMatchObject({
      outcome: 'failed',
      subject: { keys: ['key-plain', 'key-rival'], unreached: ['acme'] },
    })
    expect(scratch.errors.join()).toContain('"keys_not_revoked"')
    scratch.before = () => undefined
    expect(await isRevoked('key-acme')).toBe(false)
    scratch.calls.length = 0
    expect(await end('second')).toMatchObject({
      operatorKeys: [],
      keys: [{ keyId: 'key-acme', organizationId: 'acme' }],
      unreached: [],
    })
    // An organization that was reached before is not asked again.
    expect(scratch.calls.filter(({ at }) => at === 'rival.1')).toEqual([])
    expect(await record('second')).toMatchObject({ outcome: 'done', subject: { keys: ['key-acme'] } })
    expect(await Promise.all(['key-acme', 'key-rival', 'key-plain'].map(isRevoked))).toEqual([
      true,
      true,
      true,
    ])
    expect(await end('third')).toMatchObject({ operatorKeys: [], keys: [], unreached: [] })
  })

  test('killed in between is recorded as failed, and taken up by the same again', async () => {
    scratch.after = ({ at }) => {
      if (at === 'shared') throw new Error('killed')
    }
    await expect(end('first')).rejects.toThrow('killed')
    scratch.after = () => undefined
    expect((await record('first'))?.outcome).toBe('failed')
    expect((await end('second'))?.keys.map(({ keyId }) => keyId)).toEqual(['key-acme', 'key-rival'])
    expect(await Promise.all(['key-acme', 'key-rival', 'key-plain'].map(isRevoked))).toEqual([
      true,
      true,
      true,
    ])
  })

  test('finds a family that moves meanwhile, to another database and to the shared one', async () => {
    let moves = 0
    scratch.before = async ({ at }) => {
      if (at !== 'acme.1' || moves > 0) return
      moves += 1
      await scratch.move('acme', 'own')
    }
    await scratch.move('rival', 'shared')
    expect((await end('first'))?.unreached).toEqual([])
    expect(moves).toBe(1)
    expect(await Promise.all(['key-acme', 'key-rival'].map(isRevoked))).toEqual([true, true])
  })

  test('waits for a family of the shared database whose writes are paused', async () => {
    const until = toInstant(START_MS + 1000)
    await scratch.run("insert into write_pauses values ('plain', 'token', ?)", until)
    let asked = 0
    scratch.before = ({ at }) => {
      if (at === 'shared') asked += 1
      if (asked > 4) scratch.clock.ms = START_MS + 1000
    }
    expect((await end('first'))?.unreached).toEqual([])
    expect(await isRevoked('key-plain')).toBe(true)
  })

  test.each(['acme.1', 'shared'])(
    'leaves no key that is being issued, whenever it comes before a call of %s',
    async (at) => {
      for (let calls = 0; ; calls += 1) {
        const [auditId, keyId] = [`end-${calls}`, `new-${calls}`]
        await isolate.operatorChanges(entry(`op-${calls}`)).addOperatorKey({
          key: operatorKey(`op-${calls}`, null),
          proof: null,
        })
        let left = calls
        scratch.before = async (call) => {
          if (call.at !== at) return
          left -= 1
          if (left !== -1) return
          await scratch
            .isolate()
            .operatorChanges(entry(auditId))
            .revokeOperatorKey({
              ...{ keyId: `op-${calls}`, revokedAt: NOW, withDescendants: true },
            })
        }
        const key = tenantKey('acme', keyId, { issuedBy: `op-${calls}` })
        const isIssued = await isolate.operatorChanges(entry(keyId, keyId)).addKey(key)
        scratch.before = () => undefined
        if (left >= 0) {
          expect(calls).toBeGreaterThan(0)
          return
        }
        const found = await scratch.isolate().administration.findKey(keyId)
        expect([isIssued, found === null || found.revokedAt !== null]).toEqual([isIssued, true])
        expect((await record(keyId))?.outcome).toBe(isIssued ? 'done' : 'refused')
      }
    },
  )
})
