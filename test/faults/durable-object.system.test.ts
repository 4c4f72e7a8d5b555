import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControl, createExecutor, type FamilyPlace } from '../../adapters/durable-object/index.ts'
import { ownMigrations } from '../../adapters/durable-object/object/own-migrations.ts'
import type { Migration } from '../../adapters/sqlite/migration.ts'
import { ElsewhereError, PausedError } from '../../domain/placement/find/errors.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { systemClock } from '../../host-worker/system.ts'
import { objectWorker, startObjectRuntime, type ObjectRuntime } from '../support/scratch/object-runtime.ts'
import { openedImage } from '../support/scratch/scratch-object.ts'

/**
 * These tests cover what only the real runtime can show about a family's object. All other tests are beside the code.
 */
const clock = systemClock
const files = mkdtempSync(join(tmpdir(), 'objects-'))
let runtime: ObjectRuntime

beforeAll(async () => {
  runtime = await startObjectRuntime(await objectWorker(), files)
})
afterAll(async () => {
  await runtime.dispose()
  rmSync(files, { recursive: true, force: true })
})

const say = (sql: string, ...parameters: readonly (string | number | null)[]) => ({ sql, parameters })
const insert = (id: string) =>
  say(
    'insert into audit (audit_id, at, operator_key_id, operator, action, outcome) values (?, 1, 2, 3, 4, 5)',
    id,
  )
const ids = say('select audit_id as id from audit order by audit_id')

function placeOf(familyId: string): FamilyPlace {
  return { familyId, generation: 1, region: 'weur', jurisdiction: null }
}

/** An object with a family, as a client of the adapter has it. */
function family(familyId: string) {
  const name = `${familyId}.1`
  runtime.place(name, openedImage())
  const options = { namespace: runtime.namespace, place: placeOf(familyId), clock }
  return {
    name,
    object: runtime.object(name),
    executor: createExecutor(options),
    control: createControl(options),
    ids: async () => (await createExecutor(options).batch([ids]))[0]?.rows.map(({ id }) => id),
  }
}

function entry(outboxId: string, dueInMs: number) {
  const dueAt = toInstant(clock.nowMs() + dueInMs)
  const sql = `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
    updated_at) values ('o', ?1, 's', 'notification_email', '{}', ?2, ?2, ?2)`
  return say(sql, outboxId, dueAt)
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50))
}

test('an object makes its own tables, and knows them after it has left the memory', async () => {
  const options = { namespace: runtime.namespace, place: placeOf('own'), clock }
  const executor = createExecutor(options)
  await expect(executor.batch([ids])).rejects.toThrow(ElsewhereError)
  const control = createControl(options)
  expect(await control.create('own')).toBe(true)
  const results = await executor.batch([insert('a'), ids])
  expect(results.map(({ changes }) => changes)).toEqual([1, 0])
  expect(results[1]?.rows).toEqual([{ id: 'a' }])
  expect(results[0]?.rowsWritten).toBeGreaterThan(0)
  expect(await control.size()).toBeGreaterThan(100_000)
  await runtime.evict('own.1')
  expect((await executor.batch([ids]))[0]?.rows).toEqual([{ id: 'a' }])
  expect((await runtime.instances())['own.1']).toBe(2)
})

test('values come back as they went', async () => {
  const { executor } = family('values')
  const given = [1e15, 0.1, -7, '', 'a\u0000b', '😀 é', null, 9007199254740991]
  const [answer] = await executor.batch([
    say(`select ${given.map((_, index) => `?${index + 1} as v${index}`).join()}`, ...given),
  ])
  expect(Object.values(answer?.rows[0] ?? {})).toEqual(given)
})

test('what SQLite says reaches the caller, and nothing of the batch is kept', async () => {
  const { executor, ids: kept } = family('messages')
  await expect(executor.batch([insert('a'), insert('a')])).rejects.toThrow(
    'UNIQUE constraint failed: audit.audit_id',
  )
  expect(await kept()).toEqual([])
})

test('a pause and a move are kept by an object that left the memory', async () => {
  const { executor, control, name } = family('moved')
  expect(await control.pause('t', clock.nowMs() + 60_000)).toBe(true)
  await runtime.evict(name)
  await expect(executor.batch([insert('a')])).rejects.toThrow(PausedError)
  expect((await executor.batch([ids]))[0]?.rows).toEqual([])
  expect(await control.seal('t')).toBe(true)
  expect(await control.close()).toBe(true)
  await expect(executor.batch([ids])).rejects.toThrow(ElsewhereError)
  expect(await control.empty()).toBe(true)
  await runtime.evict(name)
  await expect(executor.batch([ids])).rejects.toThrow(ElsewhereError)
})

test('an object that goes down under a read answers the read when it is up again', async () => {
  const { executor, object, ids: kept } = family('down')
  await executor.batch([insert('a')])
  const lingering = object.linger(60_000).catch((error: unknown) => error)
  await object.abort().catch(() => undefined)
  expect(await lingering).toMatchObject({ durableObjectReset: true })
  expect(await kept()).toEqual(['a'])
})

test('a write whose answer was lost is there, and is not written again', async () => {
  const { object, executor, ids: kept } = family('lost')
  const lossy = {
    ...runtime.namespace,
    get: () => ({ batch: object.batchAndAbort.bind(object) }),
  }
  const losing = createExecutor({ namespace: lossy, place: placeOf('lost'), clock })
  await expect(losing.batch([insert('a')])).rejects.toMatchObject({ durableObjectReset: true })
  expect(await kept()).toEqual(['a'])
  await executor.batch([insert('b')])
  expect(await kept()).toEqual(['a', 'b'])
})

test('an alarm is set with the write, goes back with it, and wakes its own object alone', async () => {
  const [woken, idle] = [family('woken'), family('idle')]
  await idle.executor.batch([insert('a')])
  await expect(woken.executor.batch([entry('x', 0), insert('a'), insert('a')])).rejects.toThrow('UNIQUE')
  expect(await woken.object.alarmAtMs()).toBeNull()
  // The alarm rings five seconds after an entry is due. This one was due three seconds ago, so two are left to evict
  // the object before that, even on a busy machine.
  await woken.executor.batch([entry('x', -3_000)])
  expect(await woken.object.alarmAtMs()).not.toBeNull()
  expect(await idle.object.alarmAtMs()).toBeNull()
  await Promise.all([runtime.evict(woken.name), runtime.evict(idle.name)])
  await until(async () => (await runtime.handedOver()).some(({ outboxId }) => outboxId === 'x'))
  const instances = await runtime.instances()
  expect([instances[woken.name], instances[idle.name]]).toEqual([2, 1])
  expect(await woken.object.alarmAtMs()).toBeGreaterThan(clock.nowMs() + 30_000)
})

test('an object lives through a version ahead of its own, and one behind', async () => {
  const before = family('versions')
  await before.executor.batch([insert('before')])
  await runtime.dispose()
  const sql = 'create table labels (a text); create index labels_a on labels (a);'
  runtime = await startObjectRuntime(await objectWorker([{ name: '9000_labels.sql', sql }]), files)
  const options = { namespace: runtime.namespace, place: placeOf('versions'), clock }
  const ahead = await createExecutor(options).batch([
    insert('ahead'),
    say("insert into labels select 'b'"),
    say('select a from labels indexed by labels_a'),
  ])
  expect(ahead[2]?.rows).toEqual([{ a: 'b' }])
  await runtime.dispose()
  runtime = await startObjectRuntime(await objectWorker(), files)
  const behind = createExecutor({ ...options, namespace: runtime.namespace })
  await behind.batch([insert('behind')])
  expect((await behind.batch([ids]))[0]?.rows).toEqual([{ id: 'ahead' }, { id: 'before' }, { id: 'behind' }])
})

test('through a migration, a Worker ahead of an object and one behind it are both served', async () => {
  const { executor: before } = family('deployed')
  await before.batch([insert('before')])
  const sql = `create table stickers (a text); create index stickers_a on stickers (a);
    create trigger audited after insert on audit begin insert into stickers values (new.audit_id); end;`
  const next: Migration = { name: '9100_stickers.sql', sql }
  const all = [...(await ownMigrations.load()), next]
  const options = { place: placeOf('deployed'), clock }
  const stickers = say('select a from stickers indexed by stickers_a order by a')

  // The Worker was deployed, and the object still runs the previous version. Workers of both versions write.
  const ahead = { newest: next.name, load: async () => all }
  const newWorker = createExecutor({ ...options, namespace: runtime.namespace, migrations: ahead })
  const oldWorker = createExecutor({ ...options, namespace: runtime.namespace, migrations: ownMigrations })
  const [, first] = await newWorker.batch([insert('new'), stickers])
  expect(first?.rows).toEqual([{ a: 'new' }])
  await oldWorker.batch([insert('old')])
  await runtime.evict('deployed.1')
  await oldWorker.batch([insert('old again')])

  // First the object gets the new version while a Worker of the previous version still runs. Then the object goes back
  // to the previous version.
  for (const further of [[next], []]) {
    await runtime.dispose()
    runtime = await startObjectRuntime(await objectWorker(further), files)
    const now = { ...options, namespace: runtime.namespace }
    await createExecutor({ ...now, migrations: ownMigrations }).batch([insert(`old ${further.length}`)])
    await createExecutor({ ...now, migrations: ahead }).batch([insert(`new ${further.length}`), stickers])
  }
  const read = createExecutor({ ...options, namespace: runtime.namespace, migrations: ahead })
  const names = ['new', 'new 0', 'new 1', 'old', 'old 0', 'old 1', 'old again']
  expect((await read.batch([stickers]))[0]?.rows).toEqual(names.map((a) => ({ a })))
  expect((await read.batch([ids]))[0]?.rows).toEqual(['before', ...names].map((id) => ({ id })))
})
