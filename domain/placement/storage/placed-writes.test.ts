import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../../ports/operators/audit.ts'
import type { Organization } from '../../../ports/organizations/organization.ts'
import type { PlaceChoice } from '../../../ports/placement/placement.ts'
import { organization, START_MS, tenantKey } from '../../../test/conformance/fixtures.ts'
import { placeIn, saveIn, slugsIn } from '../../../test/support/moving/placed-organizations.ts'
import type { ScratchIsolate, ScratchPlaces } from '../../../test/support/scratch/scratch-places.ts'
import { createScratchPlaces, OWN } from '../../../test/support/scratch/scratch-places.ts'
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
