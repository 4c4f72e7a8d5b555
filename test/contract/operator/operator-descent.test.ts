import { beforeEach, describe, expect, test } from 'vitest'
import { readKey, readOperatorKey } from '../../../domain/access/keys.ts'
import type { OperatorRole } from '../../../ports/organizations.ts'
import { operatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService, type TestStorage } from '../../support/services/service.ts'
import { triedPlaces } from '../../support/runner/thorough.ts'
import { PLACES } from '../../support/scratch/scratch-places.ts'

// Which operator key issued which, that none outlives its issuer, and that all that descend from one end together.

const SOON = '2026-06-15T12:10:00.000Z'
const LATER = '2026-07-01T00:00:00.000Z'

let service: TestService
/** The client of a key that the holder of the root secret issued, and which has no end. */
let root: OperatorClient
/** The client of such a key that ends soon. */
let ending: OperatorClient
/** Runs before a new operator key is stored. */
let beforeAdding: () => Promise<void>

function interruptible(storage: TestStorage): TestStorage {
  return {
    ...storage,
    operatorChanges: (entry) => {
      const changes = storage.operatorChanges(entry)
      const addOperatorKey: typeof changes.addOperatorKey = async (added) => {
        await beforeAdding()
        return changes.addOperatorKey(added)
      }
      return { ...changes, addOperatorKey }
    },
  }
}

beforeEach(async () => {
  beforeAdding = async () => undefined
  service = await openTestService((clock) => interruptible(createScratchStorage({ clock })))
  root = operatorClient(service, await service.addOperatorKey('admin'))
  ending = operatorClient(service, await service.addOperatorKey('admin', SOON))
})

const idOf = ({ key }: OperatorClient) => readOperatorKey(key)?.keyId ?? ''

function ask(by: OperatorClient, more: object = {}, role: OperatorRole = 'admin') {
  return by.post('/operator-keys', { operator: 'eve', role, ...more })
}

/** A client of a key that another key issued. */
async function issuedBy(by: OperatorClient, role: OperatorRole = 'admin'): Promise<OperatorClient> {
  const { status, body } = await ask(by, {}, role)
  expect(status).toBe(201)
  return operatorClient(service, body.key)
}

interface Listed {
  readonly keyId: string
  readonly issuedBy: string | null
  readonly expiresAt: string | null
  readonly state: string
}

async function listed(): Promise<ReadonlyMap<string, Listed>> {
  const { body } = await root.get('/operator-keys?limit=500')
  return new Map((body.data as unknown as readonly Listed[]).map((key) => [key.keyId, key]))
}

test('a key shows which key issued it; null stands for the holder of the root secret', async () => {
  const child = await issuedBy(root)
  const grandchild = (await ask(child)).body
  expect(grandchild).toMatchObject({ issuedBy: idOf(child) })
  const all = await listed()
  expect([root, child, ending].map((client) => all.get(idOf(client))?.issuedBy)).toEqual([
    null,
    idOf(root),
    null,
  ])
  expect(all.get(grandchild.keyId)?.issuedBy).toBe(idOf(child))
})

test('a key that ends makes none without an end, and none that ends later, through others neither', async () => {
  expect((await ask(ending)).body.expiresAt).toBe(SOON)
  expect((await ask(ending, { expiresAt: null })).body.expiresAt).toBe(SOON)
  expect((await ask(ending, { expiresAt: SOON })).body.expiresAt).toBe(SOON)
  const before = (await listed()).size
  for (const by of [ending, await issuedBy(ending)])
    expect(await ask(by, { expiresAt: LATER })).toEqual({
      status: 400,
      body: { error: `expiresAt: must not be after ${SOON}, when the key that issues it ends.` },
    })
  expect((await listed()).size).toBe(before + 1)
  const sooner = '2026-06-15T12:05:00.000Z'
  expect((await ask(ending, { expiresAt: sooner })).body.expiresAt).toBe(sooner)
  service.clock.set(SOON)
  const working = [...(await listed()).values()].filter(({ state }) => state === 'active')
  expect(working.map(({ keyId }) => keyId)).toEqual([idOf(root)])
})

test('a key without an end, and the holder of the root secret, make keys of any end', async () => {
  expect((await ask(root)).body.expiresAt).toBe(null)
  expect((await ask(root, { expiresAt: LATER })).body.expiresAt).toBe(LATER)
})

test('a key that is revoked, or ends, while it issues another issues none', async () => {
  const child = await issuedBy(root)
  const count = (await listed()).size
  beforeAdding = () => service.revokeOperatorKey(child.key)
  const refusal = {
    status: 409,
    body: { error: 'The key of this request was revoked or has expired meanwhile. No key was issued.' },
  }
  expect(await ask(child)).toEqual(refusal)
  beforeAdding = async () => {
    service.clock.set(SOON)
  }
  expect(await ask(ending)).toEqual(refusal)
  beforeAdding = async () => undefined
  expect((await listed()).size).toBe(count)
})

test('a revocation leaves what the key issued, unless its descendants are to end too', async () => {
  const child = await issuedBy(root)
  const [grandchild, other] = [await issuedBy(child), await issuedBy(root)]
  const helper = await issuedBy(grandchild, 'support')
  expect(await root.post(`/operator-keys/${idOf(child)}/revoke`)).toEqual({ status: 204, body: null })
  const statusOf = async (client: OperatorClient) => (await client.get('/organizations')).status
  expect(await Promise.all([child, grandchild, helper].map(statusOf))).toEqual([401, 200, 200])

  const { status, body } = await root.post(`/operator-keys/${idOf(child)}/revoke?descendants=true`)
  const revoked = [
    { keyId: idOf(grandchild), operator: 'eve', role: 'admin' },
    { keyId: idOf(helper), operator: 'eve', role: 'support' },
  ]
  const byId = (left: { keyId: string }, right: { keyId: string }) => (left.keyId < right.keyId ? -1 : 1)
  expect([status, body]).toEqual([200, { revoked: revoked.sort(byId), keys: [], unreached: [] }])
  expect(await Promise.all([grandchild, helper, other, root].map(statusOf))).toEqual([401, 401, 200, 200])
  const records = (await root.get('/audit?action=operatorKey.revoke')).body.data
  expect(
    records.map((record) => (record as unknown as { readonly subject: unknown }).subject),
  ).toContainEqual({
    type: 'key',
    id: idOf(child),
    descendants: revoked.map(({ keyId }) => keyId),
    keys: [],
  })
})

test('a revocation says yes or no to descendants, and is of a key that is there', async () => {
  const path = `/operator-keys/${idOf(ending)}/revoke`
  expect((await root.post(`${path}?descendants=yes`)).body.error).toBe(
    'Parameter descendants must be one of: true, false.',
  )
  expect((await root.post(`${path}?descendants=true&descendants=true`)).status).toBe(400)
  expect((await ending.get('/health')).status).toBe(200)
  expect((await root.post('/operator-keys/000000000000/revoke?descendants=true')).status).toBe(404)
  expect((await root.post(`${path}?descendants=false`)).status).toBe(204)
  expect((await ending.get('/health')).status).toBe(401)
})

test('however keys are issued while their ancestor is revoked, none of its descendants is left', async () => {
  const ancestor = await issuedBy(root)
  let working = [ancestor]
  const issuing = async () => {
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all(working.map((client) => ask(client)))
      for (const { status } of answers) expect([201, 401, 409]).toContain(status)
      working = [
        ancestor,
        ...answers.flatMap(({ status, body }) => (status !== 201 ? [] : [operatorClient(service, body.key)])),
      ]
    }
  }
  const revoking = async () => {
    while ((await listed()).size < 10) await new Promise(setImmediate)
    expect((await root.post(`/operator-keys/${idOf(ancestor)}/revoke?descendants=true`)).status).toBe(200)
  }
  await Promise.all([issuing(), revoking()])
  const left = [...(await listed()).values()].filter(({ state }) => state === 'active')
  expect(left.map(({ keyId }) => keyId).sort()).toEqual([idOf(root), idOf(ending)].sort())
  expect(service.errors).toEqual([])
})

describe.each(triedPlaces(PLACES))('keys of an organization in the $kind place', (choice) => {
  let child: OperatorClient
  /** The id of a key of acme that the holder of the root secret issued. */
  let original: string | undefined
  let beforeKey: () => Promise<void>

  beforeEach(async () => {
    beforeKey = async () => undefined
    service = await openTestService((clock) => {
      const storage = createScratchStorage({ clock, choice })
      return {
        ...storage,
        operatorChanges: (entry) => {
          const changes = storage.operatorChanges(entry)
          return {
            ...changes,
            addKey: async (key) => {
              await beforeKey()
              return changes.addKey(key)
            },
            rotateKey: async (rotation) => {
              await beforeKey()
              return changes.rotateKey(rotation)
            },
          }
        },
      }
    })
    original = readKey(await service.addOrganization('acme'))?.keyId
    root = operatorClient(service, await service.addOperatorKey('admin'))
    child = await issuedBy(root)
  })

  const issue = (by: OperatorClient, body: object = {}) => by.post('/organizations/acme/keys', body)
  const works = async (key: string) => (await service.send('/api/v1/sites', { key })).status === 200
  const end = (client: OperatorClient) => root.post(`/operator-keys/${idOf(client)}/revoke?descendants=true`)

  test('end with the operator key that issued them, and with those above it', async () => {
    const grandchild = await issuedBy(child)
    const [first, second, other] = [
      (await issue(child)).body,
      (await issue(grandchild)).body,
      (await issue(root)).body,
    ]
    const platform = (await grandchild.post('/platform-keys', {})).body
    const rotated = (await root.post(`/keys/${first.keyId}/rotate`, { overlap: '7d' })).body
    const passedOn = (await child.post(`/keys/${other.keyId}/rotate`, { overlap: '7d' })).body
    const shown = (await root.get('/organizations/acme/keys')).body.data as unknown as readonly Listed[]
    expect(new Map(shown.map((key) => [key.keyId, key.issuedBy]))).toEqual(
      new Map([
        [original, null],
        [first.keyId, idOf(child)],
        [second.keyId, idOf(grandchild)],
        [other.keyId, idOf(root)],
        [rotated.keyId, idOf(root)],
        [passedOn.keyId, idOf(child)],
      ]),
    )
    expect(await works(second.key)).toBe(true)
    const { status, body } = await end(child)
    const { keys, unreached } = body as unknown as {
      readonly keys: readonly { readonly keyId: string; readonly organizationId: string | null }[]
      readonly unreached: readonly string[]
    }
    expect([status, unreached]).toEqual([200, []])
    expect(new Map(keys.map(({ keyId, organizationId }) => [keyId, organizationId]))).toEqual(
      new Map([
        [platform.keyId, null],
        [first.keyId, 'acme'],
        [second.keyId, 'acme'],
        [passedOn.keyId, 'acme'],
      ]),
    )
    expect(await Promise.all([first, second, passedOn, other, rotated].map(({ key }) => works(key)))).toEqual(
      [false, false, false, true, true],
    )
    const sent = await service.send('/api/v1/email', { key: platform.key, json: {} })
    expect(sent.status).toBe(401)
    expect((await end(child)).body).toEqual({ revoked: [], keys: [], unreached: [] })
  })

  test('go on working without descendants, and after their issuer has expired', async () => {
    const soon = (await ask(root, { expiresAt: SOON })).body
    const kept = (await issue(operatorClient(service, soon.key), { expiresAt: LATER })).body
    expect(kept.expiresAt).toBe(LATER)
    service.clock.set(SOON)
    expect(await works(kept.key)).toBe(true)
    expect((await root.post(`/operator-keys/${soon.keyId}/revoke`)).status).toBe(204)
    expect(await works(kept.key)).toBe(true)
  })

  test('are not issued, and not rotated, by an operator key that is ended meanwhile', async () => {
    const before = (await issue(root)).body
    beforeKey = async () => void (await end(child))
    const refusal = {
      status: 409,
      body: { error: 'The key of this request was revoked or has expired meanwhile. No key was issued.' },
    }
    expect(await issue(child)).toEqual(refusal)
    beforeKey = async () => undefined
    child = await issuedBy(root)
    beforeKey = async () => void (await end(child))
    expect(await child.post('/platform-keys', {})).toEqual(refusal)
    beforeKey = async () => undefined
    child = await issuedBy(root)
    beforeKey = async () => void (await end(child))
    const rotation = await child.post(`/keys/${before.keyId}/rotate`, { overlap: '7d' })
    expect(rotation.status).toBe(409)
    beforeKey = async () => undefined
    const shown = (await root.get('/organizations/acme/keys')).body.data as unknown as readonly Listed[]
    const working = shown.filter(({ state }) => state === 'active').map(({ keyId }) => keyId)
    expect(working.sort()).toEqual([original, before.keyId].sort())
    expect(service.errors).toEqual([])
  })

  test('however they are issued meanwhile, none that was handed out is left', async () => {
    const handedOut: string[] = []
    const issuing = async () => {
      for (let round = 0; round < 12; round += 1) {
        const { status, body } = await issue(child)
        expect([201, 401, 409]).toContain(status)
        if (status === 201) handedOut.push(body.key)
      }
    }
    const revoking = async () => {
      while (handedOut.length < 5) await new Promise(setImmediate)
      expect((await end(child)).status).toBe(200)
    }
    await Promise.all([issuing(), issuing(), revoking()])
    expect(handedOut.length).toBeGreaterThan(4)
    for (const key of handedOut) expect(await works(key)).toBe(false)
    const shown = (await root.get('/organizations/acme/keys')).body.data as unknown as readonly Listed[]
    expect(shown.filter(({ state, issuedBy: by }) => state === 'active' && by !== null)).toEqual([])
  })
})
