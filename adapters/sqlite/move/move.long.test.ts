import { beforeAll, describe, expect, test } from 'vitest'
import type { StoredOperatorKey } from '../../../ports/organizations.ts'
import { auditEntry } from '../../conformance/changes.ts'
import { tenantKey } from '../../conformance/fixtures.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { contacts } from '../../../domain/resources/contacts.ts'
import { forms } from '../../../domain/resources/forms.ts'
import { sampleRow } from '../../../test/support/data/sample-rows.ts'
import { ElsewhereError } from '../../../domain/placement/find/errors.ts'
import { advanceMove, runMove } from '../../../domain/placement/move/advance.ts'
import type { MoveWorld } from '../../../domain/placement/move/world.ts'
import { contentOf, movingPlaces, toOwn, toShared } from '../../../test/support/moving/moving.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import { fewTables, fewTablesImage } from '../../../test/support/databases/few-tables.ts'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import type { MovedTable } from '../../../ports/placement.ts'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { createStorage, openImage } from '../../node-sqlite/index.ts'
import { readMovedTables } from './moved-rows.ts'

const START = '2026-06-15T12:00:00.000Z'
const FAMILY = ['acme', 'acme-child', 'ac\u{1f600}me']
const OTHERS = ['acm', 'acme-stranger', 'zebra']

let tables: readonly MovedTable[]
let image: Uint8Array
beforeAll(async () => {
  const database = await oddDatabase(migratedImage())
  tables = await readMovedTables(database)
  image = database.image()
})

/** A database with odd rows in every table. */
async function oddDatabase(empty: Uint8Array) {
  const database = openImage(empty)
  const all = await readMovedTables(database)
  await oddFamily(database, all, FAMILY, 3)
  for (const other of OTHERS) await oddFamily(database, all, [other], 2)
  return database
}

const opened = (rowsMax = 2) => movingPlaces({ clock: fakeClock(), image, rowsMax })

describe('a family of odd rows in every table', () => {
  test('moves to a database of its own, and back, as it is', async () => {
    const places = opened()
    const before = await contentOf(places.shared, tables, FAMILY)
    const others = await contentOf(places.shared, tables, OTHERS)
    expect(Object.values(before).every((rows) => rows.length >= 3)).toBe(true)

    expect(await places.move('acme', toOwn)).toMatchObject({ phase: 'done', failure: null, tries: 0 })
    const place = await places.placeOf('acme')
    expect(place).toMatchObject({ kind: 'own', generation: 1 })
    expect(await contentOf(places.own(place).serving, tables, FAMILY)).toEqual(before)
    expect(await contentOf(places.shared, tables, OTHERS)).toEqual(others)
    expect(await contentOf(places.shared, tables, FAMILY)).toEqual(before)

    expect(await places.move('acme', toOwn)).toMatchObject({ phase: 'done' })
    const second = await places.placeOf('acme')
    expect(second).toMatchObject({ generation: 2 })
    expect(await contentOf(places.own(second).serving, tables, FAMILY)).toEqual(before)
    await expect(contentOf(places.own(place).serving, tables, FAMILY)).rejects.toThrow(ElsewhereError)

    expect(await places.move('acme', toShared)).toMatchObject({ phase: 'done' })
    expect(await places.placeOf('acme')).toEqual({ kind: 'shared' })
    expect(await contentOf(places.shared, tables, FAMILY)).toEqual(before)
    expect(await contentOf(places.shared, tables, OTHERS)).toEqual(others)
    await expect(contentOf(places.own(second).serving, tables, FAMILY)).rejects.toThrow(ElsewhereError)

    await places.tidy()
  })
})

test.each([
  [1, 'as long as its steps took'],
  [110, 'at most a second after a step'],
])('while rows are copied in calls of %d ms, requests have the database to themselves %s', async (callMs) => {
  const clock = fakeClock()
  let busyMs = 0
  const places = movingPlaces({
    ...{ clock, image, rowsMax: 500 },
    interfere: (call) => {
      clock.advance(callMs)
      busyMs += callMs
      return call()
    },
  })
  const { moveId } = await places.open('acme', toOwn)
  const rests: (readonly [busyMs: number, restedMs: number])[] = []
  busyMs = 0
  await runMove(places.world, moveId, Infinity, async (restedMs) => {
    rests.push([busyMs, restedMs])
    clock.advance(restedMs)
    busyMs = 0
  })
  expect(rests.length).toBeGreaterThan(10)
  expect(rests).toEqual(rests.map(([tookMs]) => [tookMs, Math.min(tookMs, 1_000)]))
})

test('from the switch on, a form is looked for in its new place alone, also while the old one still has its rows', async () => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const storage = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  await storage.administration.saveOrganization(newOrganization('acme', 'Acme'))
  await storage.tenant('acme').upsert('forms', [sampleRow(forms, 1)])
  const { moveId } = await places.open('acme', toOwn)
  const isFound = () => storage.forms.find('formId-1').then((found) => found !== null)
  for (let phase = 'copying'; phase !== 'comparing';) {
    expect(await isFound()).toBe(true)
    const advanced = await advanceMove(places.world, moveId, 'mover')
    places.clock.advance(advanced?.waitMs ?? 0)
    phase = advanced?.move.phase ?? 'lost'
  }
  const [left] = await places.shared.batch([{ sql: 'select form_id from forms', parameters: [] }])
  expect(left?.rows).toEqual([{ form_id: 'formId-1' }])
  await expect(isFound()).rejects.toThrow(ElsewhereError)
})

test('rows that a migration derives while the old place keeps its rows are removed with them', async () => {
  const few = (await oddDatabase(fewTablesImage())).image()
  const places = movingPlaces({ clock: fakeClock(), image: few, migrations: fewTables, rowsMax: 2 })
  const { moveId } = await places.open('acme', toOwn)
  let move = await advanceMove(places.world, moveId, 'mover')
  while (move?.move.phase !== 'comparing') {
    places.clock.advance(move?.waitMs ?? 0)
    move = await advanceMove(places.world, moveId, 'mover')
  }
  const run = async (sql: string) => (await places.shared.batch([{ sql, parameters: [] }]))[0]?.rows
  await run(
    'create table greetings (organization_id text, contact_id text, primary key (organization_id, contact_id))',
  )
  await run('insert into greetings select organization_id, contact_id from contacts')
  expect(await run("select count(*) as n from greetings where organization_id = 'acme'")).not.toEqual([
    { n: 0 },
  ])

  expect(await places.finish(moveId)).toMatchObject({ phase: 'done', failure: null })
  await places.tidy()
  const here = FAMILY.map((id) => `'${id}'`).join()
  expect(await run(`select * from greetings where organization_id in (${here})`)).toEqual([])
  expect(await run(`select * from greetings where organization_id not in (${here})`)).not.toEqual([])
})

test('the ids of forms that an import is still writing are taken along, and the sweep asks the new place for it', async () => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const run = async (sql: string) => (await places.shared.batch([{ sql, parameters: [] }]))[0]?.rows
  await createStorage({ executor: places.shared, clock: places.clock }).administration.saveOrganization(
    newOrganization('acme', 'Acme'),
  )
  const imports = createStorage({ executor: places.shared, clock: places.clock }).imports('acme')
  await imports.open('i', { kind: 'forms', format: 'ndjson', totalBytes: 1, digest: 'd' }, 'rows', '')
  await run("update import_sessions set state = 'writing'")
  await run(`insert into import_keys values ('acme', 'i', 0, 1, '["soon"]', '[1]')`)
  expect(await places.move('acme', toOwn)).toMatchObject({ phase: 'done' })
  expect(await run('select form_id, organization_id, reserved_at from placed_forms')).toEqual([
    { form_id: 'soon', organization_id: 'acme', reserved_at: null },
  ])
  expect(await run('select family_id from families where work_since is not null')).toEqual([
    { family_id: 'acme' },
  ])
})

test('the sweep of the old place leaves alone what is delivered in the new one', async () => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const storage = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  for (const id of ['acme', 'other']) {
    await storage.administration.saveOrganization(newOrganization(id, id))
    const entry = `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
      updated_at) values ('${id}', 'obx_s_1', 's', 'email', '{}', '2026', '2026', '2026')`
    await places.shared.batch([{ sql: entry, parameters: [] }])
  }
  const due = async () => (await storage.outbox.due('2027', 10)).map(({ organizationId }) => organizationId)
  expect((await due()).toSorted()).toEqual(['acme', 'other'])
  expect(await places.move('acme', toOwn)).toMatchObject({ phase: 'done' })
  expect(await due()).toEqual(['other'])
})

const HOOK = `insert into webhooks
  (organization_id, webhook_id, url, events, description, is_on, created_at, failing_since)
  values ('acme', 'wh_1', 'https://example.com', '[]', '', 1, '2026-01-01T00:00:00.000Z'`

test.each([
  ['keeps rows for a time', `insert into retention values ('acme', 'submissions', 30, '2026')`],
  [
    'has the key of a send',
    `insert into send_requests (organization_id, request_key, body_hash, send_prefix, holder, released, busy_until, expires_at)
     values ('acme', 'k', 'h', 'p', 'w', 0, '2026', '2026')`,
  ],
  ['has a webhook that fails', `${HOOK}, '2026-01-01T00:00:00.000Z')`],
  [
    'has a delivery to a webhook',
    `insert into webhook_deliveries values
     ('acme', 'whd_1', 'wh_1', 'test', 's', '2026', 'delivered', 1, '[]', '2026', '2026')`,
  ],
  [
    'has hashes of addresses',
    `insert into form_signs (organization_id, form_id, expires_at, updated_at, signs) values ('acme', 'f', '2026', '2026', '[]')`,
  ],
])('the sweep asks the new place of a family that %s', async (_what, insert) => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const storage = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  await storage.administration.saveOrganization(newOrganization('acme', 'Acme'))
  await storage.administration.saveOrganization(newOrganization('other', 'Other'))
  await places.shared.batch([{ sql: `${HOOK.replace("'acme'", "'other'")}, null)`, parameters: [] }])
  await places.shared.batch([{ sql: insert, parameters: [] }])
  for (const familyId of ['acme', 'other']) await places.move(familyId, toOwn)
  const found = await places.shared.batch([
    { sql: 'select family_id from families where work_since is not null', parameters: [] },
  ])
  expect(found[0]?.rows).toEqual([{ family_id: 'acme' }])
})

test('a family that comes back to the shared database takes nothing of another one with it', async () => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const { administration } = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  for (const familyId of ['acme', 'other']) {
    await administration.saveOrganization({
      ...newOrganization(familyId, familyId),
      slug: `${familyId}-slug`,
    })
    await places.move(familyId, toOwn)
  }
  expect(await places.move('acme', toShared)).toMatchObject({ phase: 'done' })
  expect(await places.placeOf('acme')).toEqual({ kind: 'shared' })
  expect(await places.placeOf('other')).toMatchObject({ kind: 'own', familyId: 'other' })
  const found = await places.shared.batch([
    { sql: 'select organization_id, family_id from placed_organizations', parameters: [] },
    { sql: 'select slug, organization_id from placed_slugs', parameters: [] },
  ])
  expect(found.map(({ rows }) => rows)).toEqual([
    [{ organization_id: 'other', family_id: 'other' }],
    [{ slug: 'other-slug', organization_id: 'other' }],
  ])
})

test('a child that is made while its family moves is in the new place, with its rows', async () => {
  const places = opened()
  const { moveId } = await places.open('acme', toOwn)
  await advanceMove(places.world, moveId, 'mover')
  const storage = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  await storage.administration.saveOrganization({ ...newOrganization('late', 'Late'), parentId: 'acme' })
  await storage.tenant('late').upsert('contacts', [sampleRow(contacts, 1, 'late-')])
  const before = await contentOf(places.shared, tables, ['late'])
  expect(await places.finish(moveId)).toMatchObject({ phase: 'done' })
  const own = places.own(await places.placeOf('acme')).serving
  expect(await contentOf(own, tables, ['late'])).toEqual(before)
  await places.tidy()
  expect(Object.values(await contentOf(places.shared, tables, ['late'])).flat()).toEqual([])
  const found = await places.shared.batch([
    { sql: `select family_id from placed_organizations where organization_id = 'late'`, parameters: [] },
  ])
  expect(found[0]?.rows).toEqual([{ family_id: 'acme' }])
})

test('a key that moves is found by who issued it, in its new place and after it has come back', async () => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const storage = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  const { administration, operatorChanges } = storage
  await administration.saveOrganization(newOrganization('acme', 'Acme'))
  await administration.addKey(tenantKey('acme', 'key-1', { issuedBy: 'op' }))
  await administration.addKey(tenantKey('acme', 'key-2'))
  const key: StoredOperatorKey = {
    ...{ keyId: 'op', operator: 'ada', role: 'admin', hash: 'op', secretVersion: 'v1', createdAt: START },
    ...{ expiresAt: null, revokedAt: null, lastUsedAt: null, issuedBy: null },
  }
  await operatorChanges(auditEntry('add')).addOperatorKey({ key, proof: null })
  const end = (auditId: string) =>
    operatorChanges(auditEntry(auditId)).revokeOperatorKey({
      ...{ keyId: 'op', revokedAt: START, withDescendants: true },
    })
  await places.move('acme', toOwn)
  expect(await end('first')).toMatchObject({ keys: [], unreached: ['acme'] })
  await places.move('acme', toShared)
  expect(await end('second')).toMatchObject({
    keys: [{ keyId: 'key-1', organizationId: 'acme' }],
    unreached: [],
  })
})

test('no step writes more rows than the database allows', async () => {
  const database = await oddDatabase(fewTablesImage())
  const places = movingPlaces({
    clock: fakeClock(),
    image: database.image(),
    migrations: fewTables,
    rowsMax: 5,
  })
  await places.move('acme', toOwn)
  const sizes: number[] = []
  const world: MoveWorld = {
    ...places.world,
    places(place) {
      const found = places.world.places(place)
      return {
        ...found,
        write(moveId, mover, changes) {
          if (place.kind === 'shared')
            sizes.push(changes.reduce((sum, { gone, rows }) => sum + gone.length + rows.length, 0))
          return found.write(moveId, mover, changes)
        },
      }
    },
  }
  const { moveId } = await places.open('acme', toShared)
  const move = await runMove(world, moveId, Infinity, async () => undefined)
  expect(move).toMatchObject({ phase: 'done' })
  expect(Math.max(...sizes)).toBe(5)
})
