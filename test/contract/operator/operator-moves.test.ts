import { beforeEach, expect, test } from 'vitest'
import { advanceMove } from '../../../domain/placement/move/advance.ts'
import { sweepMoves } from '../../../domain/placement/operators/moves.ts'
import { lineLog } from '../../../host-worker/system.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { toOwn, type MovingPlaces } from '../../support/moving/moving.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { openMovingStorage } from '../../support/moving/moving-storage.ts'

let service: TestService
let moving: MovingPlaces
let admin: OperatorClient
let support: OperatorClient

beforeEach(async () => {
  service = await openTestService((clock) => {
    const { storage, places } = openMovingStorage(clock)
    moving = places
    return storage
  })
  admin = await openOperatorClient(service, 'admin')
  support = await openOperatorClient(service, 'support')
})

/** The move in an answer. */
function moveOf({ body }: { readonly body: object }) {
  return body as { readonly move: { readonly moveId: string } }
}

const own = { place: 'own' }
const shared = { place: 'shared' }

test('a family moves while the service goes on by itself, and its keys and rows with it', async () => {
  const key = await service.addOrganization('acme', { slug: 'acme' })
  await service.addOrganization('kid', { parentId: 'acme' })
  const body = moveOf(await admin.post('/organizations/acme/move', own))
  expect(body).toMatchObject({ move: { organizationId: 'acme', from: 'shared', to: 'own', endedAt: null } })
  await service.settled()
  const path = `/moves/${body.move.moveId}`
  expect((await support.get(path)).body).toMatchObject({ phase: 'done', failure: null })
  expect((await support.get('/organizations/kid')).body).toMatchObject({ place: 'own', sizeBytes: 4096 })
  expect((await service.send('/api/v1/sites', { key })).status).toBe(200)

  expect((await admin.post('/organizations/acme/move', own)).body).toEqual({ move: null })
  const back = moveOf(await admin.post('/organizations/acme/move', shared))
  await service.settled()
  expect((await support.get(`/moves/${back.move.moveId}`)).body).toMatchObject({
    phase: 'done',
    to: 'shared',
  })
  expect((await support.get('/organizations/acme')).body).toMatchObject({ place: 'shared', sizeBytes: null })
  expect((await service.send('/api/v1/sites', { key })).status).toBe(200)
  const records = await service.storage.audit.list({ organizationId: 'acme' }, null, 10)
  expect(
    records.filter(({ action }) => action === 'organization.move').map(({ outcome }) => outcome),
  ).toEqual(['done', 'done', 'done'])
})

test('a move names what runs, refuses another target, and is given up before it has switched', async () => {
  await service.addOrganization('acme')
  // Another process holds the move, so this service does not work on it.
  const { ledger } = moving.world
  const [moveId, now] = ['m1', '2026-06-15T12:00:00.000Z']
  await ledger.open({ moveId, familyId: 'acme', target: toOwn, startedAt: now })
  await ledger.take(moveId, 'another', now, '2026-06-15T13:00:00.000Z')
  expect(moveOf(await admin.post('/organizations/acme/move', own)).move.moveId).toBe(moveId)
  expect((await admin.post('/organizations/acme/move', { place: 'own', region: 'weur' })).status).toBe(409)
  expect((await support.get('/organizations/acme')).body).toMatchObject({ place: 'shared', move: { moveId } })
  expect((await admin.post('/organizations/acme/move/abort')).status).toBe(200)
  await ledger.release(moveId, 'another')
  await support.get(`/moves/${moveId}`)
  await service.settled()
  expect((await support.get(`/moves/${moveId}`)).body).toMatchObject({ phase: 'aborted' })
  expect((await admin.post('/organizations/acme/move/abort')).status).toBe(404)
  expect((await support.get('/organizations/acme')).body).toMatchObject({ place: 'shared' })
})

test('nothing joins or leaves a family while it moves, and is told so at once', async () => {
  for (const [id, parentId] of [
    ['acme', null],
    ['kid', 'acme'],
    ['other', null],
  ] as const)
    await service.addOrganization(id, { parentId })
  const { ledger } = moving.world
  const [moveId, startedAt] = ['m1', '2026-06-15T12:00:00.000Z']
  await ledger.open({ moveId, familyId: 'acme', target: toOwn, startedAt })
  await advanceMove(moving.world, moveId, 'another')
  const tie = (id: string, parentId: string | null) => admin.post(`/organizations/${id}`, { parentId })
  for (const [id, parentId] of [
    ['kid', null],
    ['kid', 'other'],
    ['other', 'kid'],
  ] as const)
    expect(await tie(id, parentId)).toEqual({
      status: 409,
      body: {
        error: `${id} cannot join or leave a family that is being moved. Try again when "org show" names no move.`,
      },
    })
  expect((await admin.get('/organizations/kid')).body).toMatchObject({ parentId: 'acme' })
  await ledger.askAbort(moveId)
  while ((await ledger.find(moveId))?.endedAt === null) await advanceMove(moving.world, moveId, 'another')
  expect((await tie('kid', null)).status).toBe(200)
})

test('a move that has switched is ended, not given up', async () => {
  await service.addOrganization('acme')
  const [moveId, startedAt] = ['m1', '2026-06-15T12:00:00.000Z']
  await moving.world.ledger.open({ moveId, familyId: 'acme', target: toOwn, startedAt })
  let phase = ''
  while (phase !== 'comparing')
    phase = (await advanceMove(moving.world, moveId, 'another'))?.move.phase ?? 'comparing'
  expect(await admin.post('/organizations/acme/move/abort')).toEqual({
    status: 409,
    body: { error: 'acme lives in the new place already. The move can only be ended.' },
  })
  expect((await support.get('/organizations/acme')).body).toMatchObject({ place: 'own', move: { moveId } })
})

test('a jurisdiction that the platform does not know is refused before anything is written', async () => {
  await service.addOrganization('acme')
  const unknown = { place: 'own', jurisdiction: 'us' }
  const refusal = {
    status: 409,
    body: { error: expect.stringContaining('the local runtime knows none') as string },
  }
  expect(await admin.post('/organizations/acme/move', unknown)).toEqual(refusal)
  expect((await support.get('/organizations/acme')).body).not.toHaveProperty('move')
  expect(await admin.post('/organizations/new', { name: 'New', ...unknown })).toEqual(refusal)
  // Nothing is reserved, so the id is free for another place.
  expect((await admin.post('/organizations/new', { name: 'New' })).status).toBe(201)
  expect((await admin.post('/organizations/acme/move', { place: 'own', jurisdiction: 'eu' })).status).toBe(
    200,
  )
  await service.settled()
})

test('a sweep goes on with other moves when one fails', async () => {
  const logged: string[] = []
  const { ledger } = moving.world
  const startedAt = '2026-06-15T12:00:00.000Z'
  for (const familyId of ['acme', 'beta']) {
    await service.addOrganization(familyId)
    await ledger.open({ moveId: familyId, familyId, target: toOwn, startedAt })
  }
  await sweepMoves({
    ...moving.world,
    places: (place) => {
      if (place.kind === 'own' && place.familyId === 'acme') throw new Error('The database is broken')
      return moving.world.places(place)
    },
    directory: { placeOf: async () => null },
    administration: service.storage.administration,
    databases: null,
    log: lineLog((_level, line) => logged.push(line)),
  })
  expect([(await ledger.find('acme'))?.phase, (await ledger.find('beta'))?.phase]).toEqual([
    'copying',
    'done',
  ])
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain('"familyId":"acme"')
})

test('what cannot move says why', async () => {
  await service.addOrganization('acme')
  await service.addOrganization('kid', { parentId: 'acme' })
  await service.addOrganization('grandkid', { parentId: 'kid' })
  expect(await admin.post('/organizations/grandkid/move', own)).toEqual({
    status: 409,
    body: { error: 'grandkid is below acme. A family moves as a whole: move acme.' },
  })
  expect((await admin.post('/organizations/nobody/move', own)).status).toBe(404)
  expect((await admin.post('/organizations/acme/move', { place: 'shared', region: 'weur' })).body).toEqual({
    error: 'region: needs the place own.',
  })
  expect((await admin.post('/organizations/acme/move', shared)).body).toEqual({ move: null })
  expect((await support.get('/moves/none')).status).toBe(404)
  expect((await support.post('/organizations/acme/move', own)).status).toBe(403)
})
