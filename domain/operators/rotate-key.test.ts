import { beforeEach, expect, test } from 'vitest'
import { fakeClock, fakeRandom, testSecrets, type FakeClock } from '../../test/support/runner/fakes.ts'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { issueCheckedKey, keyState, rotateKey, type KeyIssuing, type KeySettings } from './key-settings.ts'

const secrets = await testSecrets()
const DAY_MS = 86_400_000
const overlapMs = 7 * DAY_MS

const END_HAS_COME = { status: 400, value: { error: 'expiresAt: must be in the future.' } }

let clock: FakeClock
let world: KeyIssuing & { readonly keys: ReturnType<typeof createScratchStorage>['administration'] }

beforeEach(() => {
  clock = fakeClock('2026-06-15T12:00:00.000Z')
  const keys = createScratchStorage({ clock }).administration
  world = { keys, secrets, random: fakeRandom(), clock, issuedBy: 'op-1' }
})

async function issued(settings: KeySettings = {}, organizationId: string | null = 'acme'): Promise<string> {
  const outcome = await issueCheckedKey(organizationId, settings, world)
  if ('refusal' in outcome) throw new Error(outcome.refusal.body)
  return outcome.stored.keyId
}

test('a key is stored as it was asked for, hashed', async () => {
  const settings = {
    label: 'Sync',
    scope: 'read',
    ratePerMinute: 60,
    expiresAt: '2027-01-01T00:00:00.000Z',
  } as const
  const outcome = await issueCheckedKey('acme', settings, world)
  if ('refusal' in outcome) throw new Error(outcome.refusal.body)
  expect(await world.keys.findKey(outcome.stored.keyId)).toEqual(outcome.stored)
  expect(outcome.stored).toMatchObject({
    ...settings,
    organizationId: 'acme',
    lastUsedAt: null,
    issuedBy: 'op-1',
  })
})

test('an end that has come, and a key of the platform that could do nothing, are refused and not stored', async () => {
  for (const expiresAt of ['2026-06-15T12:00:00.000Z', '2020-01-01T00:00:00.000Z'])
    expect(await issueCheckedKey('acme', { expiresAt }, world)).toMatchObject({ refusal: END_HAS_COME })
  expect(await issueCheckedKey(null, { scope: 'read' }, world)).toMatchObject({
    refusal: {
      status: 400,
      value: { error: 'scope: of a platform key must be send or all: it can only send.' },
    },
  })
  expect([await world.keys.listKeys('acme', null, 100), await world.keys.listKeys(null, null, 100)]).toEqual([
    [],
    [],
  ])
})

test.each(['acme', null])(
  'the successor of a key of %s is as the key was, which ends after the overlap',
  async (owner) => {
    const settings = { label: 'Sync', scope: 'send', ratePerMinute: 60 } as const
    const keyId = await issued({ ...settings, expiresAt: '2027-01-01T00:00:00.000Z' }, owner)
    const outcome = await rotateKey({ keyId, overlapMs }, world)
    if ('refusal' in outcome) throw new Error(outcome.refusal.body)
    expect(outcome.endsAt).toBe('2026-06-22T12:00:00.000Z')
    const [old, successor] = await world.keys.listKeys(owner, null, 100)
    expect(old).toMatchObject({ keyId, expiresAt: outcome.endsAt, successorId: successor?.keyId })
    expect(successor).toEqual(outcome.stored)
    expect(successor).toMatchObject({
      ...settings,
      organizationId: owner,
      expiresAt: '2027-01-01T00:00:00.000Z',
      lastUsedAt: null,
    })
    const states = () => [old, successor].map((key) => key && keyState(key, clock))
    clock.advance(overlapMs - 1)
    expect(states()).toEqual(['active', 'active'])
    clock.advance(1)
    expect(states()).toEqual(['expired', 'active'])
  },
)

test('an end of its own can be given to the successor, and none that has come', async () => {
  const keyId = await issued({ expiresAt: '2026-06-16T00:00:00.000Z' })
  expect(await rotateKey({ keyId, overlapMs, expiresAt: '2026-06-15T11:00:00.000Z' }, world)).toMatchObject({
    refusal: END_HAS_COME,
  })
  const outcome = await rotateKey({ keyId, overlapMs, expiresAt: '2028-01-01T00:00:00.000Z' }, world)
  expect(outcome).toMatchObject({
    // A rotation does not extend the life of the old key.
    endsAt: '2026-06-16T00:00:00.000Z',
    stored: { expiresAt: '2028-01-01T00:00:00.000Z' },
  })
})

test('no overlap ends the key at once', async () => {
  const keyId = await issued()
  expect(await rotateKey({ keyId, overlapMs: 0 }, world)).not.toHaveProperty('refusal')
  const found = await world.keys.findKey(keyId)
  expect(found && keyState(found, clock)).toBe('expired')
})

test('a key that is unknown, revoked, expired or replaced is not rotated, and the reason is said', async () => {
  const reasonOf = async (keyId: string) => {
    const outcome = await rotateKey({ keyId, overlapMs }, world)
    return 'refusal' in outcome ? [outcome.refusal.status, outcome.refusal.value.error] : 'rotated'
  }
  expect(await reasonOf('nothing')).toEqual([404, 'There is no key nothing.'])
  const revoked = await issued()
  await world.keys.revokeKey(revoked, '2026-06-15T12:00:00.000Z')
  expect(await reasonOf(revoked)).toEqual([409, `The key ${revoked} is revoked. Issue a new one.`])
  const expired = await issued({ expiresAt: '2026-06-15T12:00:01.000Z' })
  clock.advance(1_000)
  expect(await reasonOf(expired)).toEqual([409, `The key ${expired} is expired. Issue a new one.`])
  const replaced = await issued()
  expect(await reasonOf(replaced)).toBe('rotated')
  const successorId = (await world.keys.findKey(replaced))?.successorId ?? ''
  expect(await reasonOf(replaced)).toEqual([
    409,
    `The key ${replaced} was replaced before. Its successor is ${successorId}.`,
  ])
  expect(await world.keys.listKeys('acme', null, 100)).toHaveLength(4)
})

test('of two rotations at the same moment one happens', async () => {
  const keyId = await issued()
  const outcomes = await Promise.all([
    rotateKey({ keyId, overlapMs }, world),
    rotateKey({ keyId, overlapMs }, world),
  ])
  expect(outcomes.filter((outcome) => 'refusal' in outcome)).toHaveLength(1)
  expect(await world.keys.listKeys('acme', null, 100)).toHaveLength(2)
})
