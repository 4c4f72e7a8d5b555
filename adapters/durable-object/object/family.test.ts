import { expect, test, vi } from 'vitest'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import {
  openScratchFamily,
  type ScratchFamily,
  type ScratchFamilyOptions,
} from '../../../test/support/scratch/scratch-family.ts'
import { openedImage } from '../../../test/support/scratch/scratch-object.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { BatchAnswer, FamilyObject, Mode } from '../protocol.ts'
import { readFacts } from './schema.ts'
import { migrationTexts } from './migration-texts.ts'

const clock = fakeClock()
const HOUR_MS = 3_600_000

/** An object that is open and holds nothing. */
function opened(options: Partial<ScratchFamilyOptions> = {}): ScratchFamily {
  return openScratchFamily({ clock, image: openedImage(), ...options })
}

function run(family: ScratchFamily, mode: Mode, ...texts: readonly string[]): Promise<BatchAnswer> {
  return family.object().batch(
    mode,
    texts.map((sql) => ({ sql, parameters: [] })),
  )
}

const write = `insert into organizations (organization_id, name, phone_country, billing_events, analytics,
  retention_offer_analytics, automation_hourly) values ('o', 'O', 'US', 1, 0, 0, 500)`
const read = 'select organization_id from organizations'

/** Puts an entry into the outbox that is due after this time. */
function entry(family: ScratchFamily, outboxId: string, dueInMs: number, organizationId = 'o') {
  const dueAt = toInstant(clock.nowMs() + dueInMs)
  const sql = `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
    updated_at) values (?, ?, 's', 'notification_email', '{}', ?, ?, ?)`
  return family
    .object()
    .batch('write', [{ sql, parameters: [organizationId, outboxId, dueAt, dueAt, dueAt] }])
}

test('an object that was never opened answers elsewhere, and stores nothing by being asked', async () => {
  const family = openScratchFamily({ clock })
  for (const mode of ['read', 'write', 'move'] as const)
    expect(await run(family, mode, 'select 1')).toEqual({ elsewhere: true })
  expect(family.database.run('select * from sqlite_master').rows).toEqual([])
})

test('creating is done once, also by two who come at the same time, and for one family', async () => {
  const family = openScratchFamily({ clock })
  const both = await Promise.all([family.object().create('family'), family.object().create('family')])
  expect(both).toEqual([true, true])
  expect(await family.object().create('another')).toBe(false)
  family.evict()
  expect(await family.object().create('family')).toBe(true)
  expect(await run(family, 'read', 'select 1 as one')).toMatchObject({ results: [{ rows: [[1]] }] })
})

test('a batch that fails leaves nothing, and says what SQLite says', async () => {
  const family = opened()
  const answer = await run(family, 'write', write, write)
  expect(answer).toEqual({
    failed: expect.stringContaining('UNIQUE constraint failed: organizations') as string,
  })
  expect(family.logged).toEqual([])
  expect(await run(family, 'read', read)).toMatchObject({
    results: [{ columns: ['organization_id'], rows: [] }],
  })
})

test('the writes of triggers are counted, by statement', async () => {
  const family = opened()
  await run(family, 'write', 'create table a (n)', 'create table b (n)')
  await run(family, 'write', 'create trigger t after insert on a begin insert into b values (1), (2); end')
  const answer = await run(family, 'write', 'insert into a values (1)', 'select 1', 'delete from b')
  expect('results' in answer && answer.results.map(({ changes }) => changes)).toEqual([3, 0, 2])
})

test('an answer that is too large for a message is refused before anything is written', async () => {
  const family = opened()
  const large = "select replace(hex(zeroblob(1000000)), '00', 'ab') from json_each('[1,2,3,4,5,6,7,8,9]')"
  const answer = await run(family, 'write', write, large)
  expect(answer).toEqual({ failed: expect.stringContaining('answers more than') as string })
  expect(await run(family, 'read', read)).toMatchObject({ results: [{ rows: [] }] })
  // SQLite did not refuse this batch, so the object's log says where it failed.
  expect(family.logged).toEqual(['object_batch_failed'])
})

test('a pause holds writes up, survives an eviction, and ends by itself', async () => {
  const family = opened()
  expect(await family.object().pause('t', clock.nowMs() + 1000)).toBe(true)
  family.evict()
  expect(await run(family, 'write', write)).toEqual({ paused: true })
  expect(await run(family, 'read', read)).toHaveProperty('results')
  expect(await run(family, 'move', 'delete from organizations')).toHaveProperty('results')
  clock.advance(1000)
  expect(await run(family, 'write', write)).toHaveProperty('results')
  // The write has ended the pause, so the rows that the move has read may be out of date.
  expect(await family.object().seal('t')).toBe(false)
  family.evict()
  expect(await run(family, 'write', 'delete from organizations')).toHaveProperty('results')
})

test('a write that fails does not end a pause that has run out', async () => {
  const family = opened()
  await family.object().pause('t', clock.nowMs() - 1)
  expect(await run(family, 'write', 'insert into nonsense values (1)')).toHaveProperty('failed')
  expect(await family.object().seal('t')).toBe(true)
})

test('a family moves away: sealed it is read, closed it is elsewhere, emptied nothing is left', async () => {
  const family = opened()
  await run(family, 'write', write)
  await family.object().pause('t', clock.nowMs() + 1000)
  expect(await family.object().seal('t')).toBe(true)
  clock.advance(HOUR_MS)
  family.evict()
  const confirmed = (mode: Mode, sql: string) =>
    family.object().batch(mode, [{ sql, parameters: [] }], { isConfirmed: true })
  expect(await confirmed('write', write)).toEqual({ paused: true })
  expect(await confirmed('read', read)).toMatchObject({ results: [{ rows: [['o']] }] })
  // Who only remembers the object must ask the directory first.
  for (const mode of ['read', 'write'] as const)
    expect(await run(family, mode, read)).toEqual({ elsewhere: true })
  expect(await family.object().empty()).toBe(false)
  expect(await family.object().close()).toBe(true)
  expect(await run(family, 'read', read)).toEqual({ elsewhere: true })
  expect(await family.object().empty()).toBe(true)
  expect(family.database.run('select * from sqlite_master').rows).toEqual([])
  expect(await run(family, 'read', read)).toEqual({ elsewhere: true })
})

test('an object is removed in every state, unless an organization lives in it or is being deleted', async () => {
  const states: readonly ((family: FamilyObject) => Promise<unknown>)[] = [
    (family) => family.size(),
    (family) => family.pause('t', clock.nowMs() + HOUR_MS),
    (family) => family.pause('t', clock.nowMs() + 1).then(() => family.seal('t')),
    (family) => family.close(),
  ]
  const deletion = `insert into restores (organization_id, restore_id, archive, digest, next_part, progress, started_at)
    values ('o', 'deletion', '', '', 0, '{}', '')`
  for (const inserted of [write, deletion]) {
    const family = opened()
    expect(await run(family, 'write', inserted)).toHaveProperty('results')
    for (const enter of states) {
      await enter(family.object())
      expect(await family.object().remove()).toBe(false)
    }
  }
  for (const enter of states) {
    const family = opened()
    await enter(family.object())
    expect(await family.object().remove()).toBe(true)
    expect(family.database.run('select * from sqlite_master').rows).toEqual([])
    expect(await family.object().remove()).toBe(true)
    expect(await run(family, 'read', read)).toEqual({ elsewhere: true })
    expect(await family.object().create('another')).toBe(true)
  }
})

/** The object after its move has ended the filling for an attempt to switch, as `finishTarget` does. */
function filled(family: ReturnType<typeof openScratchFamily>, token: string): FamilyObject {
  const sql = `insert into move_targets (move_id, version, progress, finished_by) values ('m', 1, '{}', ?)
    on conflict (move_id) do update set finished_by = excluded.finished_by`
  family.database.run(sql, [token])
  return family.object()
}

test('an attempt that was given back and arrives late changes nothing, and the next one can finish', async () => {
  const family = openScratchFamily({ clock })
  await family.object().begin('family')
  expect(await family.object().finish('t')).toBe(false)
  expect(await filled(family, 't').finish('t')).toBe(true)
  expect(await family.object().finish('t')).toBe(true)
  for (const token of ['other', 't']) expect(await family.object().reopen(token)).toBe(token === 't')
  expect(await filled(family, 'next').finish('t')).toBe(false)
  expect(await family.object().open('t')).toBe(false)
  expect(await family.object().finish('next')).toBe(true)
  expect(await family.object().open('t')).toBe(false)
  expect(await family.object().open('next')).toBe(true)
  expect(await run(family, 'write', write)).toHaveProperty('results')
  // It is the family's place now, so a move that believes to have filled it in vain cannot empty it.
  expect(await family.object().empty()).toBe(false)
})

test('a target of a move that was given up is emptied, finished or not', async () => {
  for (const isFinished of [false, true]) {
    const family = openScratchFamily({ clock })
    await family.object().begin('family')
    if (isFinished) await filled(family, 't').finish('t')
    expect(await family.object().empty()).toBe(true)
    expect(family.database.run('select * from sqlite_master').rows).toEqual([])
  }
})

test('a family arrives: only its move sees it until it is opened', async () => {
  const family = openScratchFamily({ clock })
  expect(await family.object().begin('family')).toBe(true)
  expect(await run(family, 'move', write)).toHaveProperty('results')
  expect(await run(family, 'read', read)).toEqual({ elsewhere: true })
  family.evict()
  expect(await filled(family, 't').finish('t')).toBe(true)
  expect(await run(family, 'read', read)).toEqual({ elsewhere: true })
  const confirmed = { isConfirmed: true }
  const rows = await family.object().batch('read', [{ sql: read, parameters: [] }], confirmed)
  expect(rows).toMatchObject({ results: [{ rows: [['o']] }] })
  const refused = await family.object().batch('write', [{ sql: write, parameters: [] }], confirmed)
  expect(refused).toEqual({ paused: true })
  expect(await family.object().open('t')).toBe(true)
  expect(await run(family, 'read', read)).toMatchObject({ results: [{ rows: [['o']] }] })
})

test('work that arrives with a family wakes the object once it is open', async () => {
  const family = openScratchFamily({ clock })
  await family.object().begin('family')
  const now = toInstant(clock.nowMs())
  const sql = `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
    updated_at) values ('o', 'x', 's', 'notification_email', '{}', ?, ?, ?)`
  await family.object().batch('move', [{ sql, parameters: [now, now, now] }])
  await filled(family, 't').finish('t')
  await family.object().ring()
  expect([family.alarmAtMs(), family.handedOver]).toEqual([null, []])
  await family.object().open('t')
  expect(family.alarmAtMs()).not.toBeNull()
})

test('an entry that was settled in time is handed to nobody, and the alarm that rings in vain is the last one', async () => {
  const family = opened()
  expect(family.alarmAtMs()).toBeNull()
  await entry(family, 'x', 0)
  const ringsAtMs = family.alarmAtMs() ?? 0
  expect(ringsAtMs - clock.nowMs()).toBe(5_000)
  await run(family, 'write', 'delete from outbox')
  clock.advance(5_000)
  await family.ring()
  expect(family.handedOver).toEqual([])
  expect(family.alarmAtMs()).toBeNull()
})

test('an entry of another hour that is settled before leaves no alarm', async () => {
  const family = opened()
  await entry(family, 'x', HOUR_MS)
  await run(family, 'write', 'delete from outbox')
  expect(family.alarmAtMs()).toBeNull()
})

test('submissions in a row set one alarm, which takes up all that is left of them', async () => {
  const family = opened()
  await entry(family, 'settled', 0)
  const ringsAtMs = family.alarmAtMs()
  await run(family, 'write', 'delete from outbox')
  clock.advance(4_000)
  await entry(family, 'left', 0)
  expect(family.alarmAtMs()).toBe(ringsAtMs)
  clock.advance(1_000)
  await family.ring()
  expect(family.handedOver).toEqual([])
  clock.advance((family.alarmAtMs() ?? 0) - clock.nowMs())
  await family.ring()
  expect(family.handedOver).toEqual([[{ organizationId: 'o', outboxId: 'left' }]])
})

test('a fleet sleeps for an hour; the entry that is due then wakes its own object alone', async () => {
  const fleet = Array.from({ length: 20 }, () => opened())
  await Promise.all(fleet.map((family) => run(family, 'write', write)))
  const [, , , chosen] = fleet
  if (chosen === undefined) throw new Error('There is a fourth')
  await entry(chosen, 'x', HOUR_MS)
  for (const family of fleet) family.evict()
  const opensBefore = fleet.map((family) => family.opens())
  const dueAtMs = clock.nowMs() + HOUR_MS
  // Time passes as on the platform: the alarms that are due ring, and nothing else happens.
  for (let minutes = 1; minutes <= 70; minutes += 1) {
    clock.advance(60_000)
    for (const family of fleet) if ((family.alarmAtMs() ?? Infinity) <= clock.nowMs()) await family.ring()
    const opened = fleet.filter((family, index) => family.opens() !== opensBefore[index])
    expect(opened, `after ${minutes} minutes`).toEqual(clock.nowMs() < dueAtMs + 5_000 ? [] : [chosen])
  }
  expect(fleet.flatMap((family) => family.handedOver[0] ?? [])).toEqual([
    { organizationId: 'o', outboxId: 'x' },
  ])
})

test('of several entries the first one that is due decides, of whichever organization', async () => {
  const family = opened()
  await entry(family, 'late', HOUR_MS, 'a')
  const lateMs = family.alarmAtMs() ?? 0
  await entry(family, 'early', HOUR_MS / 2, 'z')
  expect(lateMs - (family.alarmAtMs() ?? 0)).toBe(HOUR_MS / 2)
  await entry(family, 'later', 2 * HOUR_MS, 'b')
  expect(lateMs - (family.alarmAtMs() ?? 0)).toBe(HOUR_MS / 2)
})

test('what was handed over and not settled is handed over again after a while, not at once', async () => {
  const family = opened()
  await entry(family, 'x', 0)
  clock.advance(10_000)
  await family.ring()
  expect(family.handedOver).toHaveLength(1)
  const againMs = family.alarmAtMs() ?? 0
  expect(againMs - clock.nowMs()).toBe(60_000)
  // A write in between does not make the alarm ring earlier.
  await run(family, 'write', write)
  expect(family.alarmAtMs()).toBe(againMs)
  // Nor does it in another instance, which knows of the hand-over by the alarm alone.
  family.evict()
  await run(family, 'write', write.replace("('o'", "('p'"))
  expect(family.alarmAtMs()).toBe(againMs)
  clock.advance(60_000)
  await family.ring()
  expect(family.handedOver).toHaveLength(2)
})

test('an instance that finds its alarm set for a later hour sets it for what is written now', async () => {
  const family = opened()
  await entry(family, 'later', HOUR_MS)
  family.evict()
  await entry(family, 'now', 0)
  expect((family.alarmAtMs() ?? 0) - clock.nowMs()).toBe(5_000)
})

test('an object whose clock is behind that of the alarm hands over what it rang for, and does not ring again at once', async () => {
  const family = opened()
  await entry(family, 'x', 0)
  const rangAtMs = family.alarmAtMs() ?? 0
  clock.advance(rangAtMs - clock.nowMs() - 2_000)
  await family.ring()
  expect(family.handedOver).toEqual([[{ organizationId: 'o', outboxId: 'x' }]])
  expect(family.alarmAtMs()).toBe(rangAtMs + 60_000)
})

test('a Worker that fails to take entries fails nothing: the next alarm was set before', async () => {
  const family = opened({ handOver: () => Promise.reject(new Error('unreachable')) })
  await entry(family, 'x', 0)
  clock.advance(10_000)
  await family.ring()
  expect(family.logged).toEqual(['object_alarm_failed'])
  expect(family.alarmAtMs()).toBe(clock.nowMs() + 60_000)
})

test('an alarm that finds the family gone does nothing, and sets no other', async () => {
  const family = opened()
  await entry(family, 'x', 0)
  await family.object().pause('t', clock.nowMs() + 1)
  await family.object().seal('t')
  await family.object().close()
  expect(family.alarmAtMs()).toBeNull()
  await family.object().ring()
  expect(family.handedOver).toEqual([])
  expect(family.alarmAtMs()).toBeNull()
  expect(await family.object().empty()).toBe(true)
  await family.object().ring()
  expect([family.handedOver, family.logged, family.alarmAtMs()]).toEqual([[], [], null])
})

const later = (count: number) => [
  ...migrationTexts(),
  ...Array.from({ length: count }, (_, index) => ({
    name: `900${index}_later.sql`,
    sql: `create table later_${index} (a text); create index later_index_${index} on later_${index} (a);`,
  })),
]

test('an object of an earlier version is given the tables of a later one, a bounded time at once', async () => {
  const family = opened({
    breathe: async () => {
      clock.advance(150)
    },
  })
  const [read, terms] = [[{ sql: 'select * from later_2', parameters: [] }], { migration: '9002_later.sql' }]
  for (let advances = 0; advances < 2; advances += 1) {
    expect(await family.object().batch('read', read, terms)).toEqual({ behind: true })
    await family.object().advance(later(3))
  }
  expect(await family.object().batch('read', read, terms)).toHaveProperty('results')
  expect(family.alarmAtMs()).toBeNull()
  // The object creates the indexes once it runs that version itself.
  family.evict(later(3))
  await run(family, 'read', 'select 1')
  for (let rings = 0; family.alarmAtMs() !== null && rings < 10; rings += 1) {
    clock.advance(Math.max(0, (family.alarmAtMs() ?? 0) - clock.nowMs()))
    await family.ring()
  }
  expect(readFacts(family.database)?.schema).toMatchObject({ indexes: '9002_later.sql', indexesBeyond: 0 })
})

test('an object that is behind comes up to date with its first call, and serves what needs the new tables', async () => {
  const family = opened()
  family.evict(later(1))
  const answer = await run(family, 'read', 'select * from later_0 indexed by later_index_0')
  expect(answer).toMatchObject({ results: [{ columns: ['a'], rows: [] }] })
  expect(family.alarmAtMs()).toBeNull()
  expect(readFacts(family.database)?.schema.indexes).toBe('9000_later.sql')
})

test('where that takes long, the call goes on without, and the alarm does the rest', async () => {
  const family = opened({
    breathe: async () => {
      clock.advance(150)
    },
  })
  await run(family, 'write', write)
  family.evict(later(2))
  // Both tables are created within the time limit; no index is.
  const answer = await run(family, 'read', 'select * from later_1 indexed by later_index_1 where a = 1')
  expect(answer).toMatchObject({ results: [{ columns: ['a'], rows: [] }] })
  expect(family.database.run("select 1 from sqlite_master where name like 'later_index%'").rows).toEqual([])
  for (let rings = 0; family.alarmAtMs() !== null; rings += 1) {
    expect(rings).toBeLessThan(10)
    clock.advance(Math.max(0, (family.alarmAtMs() ?? 0) - clock.nowMs()))
    await family.ring()
  }
  expect(family.database.run("select 1 from sqlite_master where name like 'later_index%'").rows).toHaveLength(
    2,
  )
})

test('a step that fails is logged, tried again later, and hinders no call', async () => {
  const family = opened()
  family.evict([...migrationTexts(), { name: '9000_broken.sql', sql: 'create nonsense;' }])
  expect(await run(family, 'write', write)).toHaveProperty('results')
  expect(family.logged).toEqual(['object_schema_step_failed'])
  expect(family.alarmAtMs()).toBe(clock.nowMs() + 60_000)
  expect(await run(family, 'read', read)).toHaveProperty('results')
  expect(family.logged).toHaveLength(1)
})

test('a call takes the steps for which an alarm was set that never rang', async () => {
  const family = opened()
  family.database.run('create table later_0 (in_the_way)')
  family.evict(later(1))
  await run(family, 'read', read)
  expect(family.logged).toEqual(['object_schema_step_failed'])
  family.database.run('drop table later_0')
  clock.advance((family.alarmAtMs() ?? 0) - clock.nowMs() + 4_999)
  expect(await run(family, 'read', 'select * from later_0')).toHaveProperty('failed')
  clock.advance(1)
  expect(await run(family, 'read', 'select * from later_0')).toHaveProperty('results')
  expect(readFacts(family.database)?.schema.indexes).toBe('9000_later.sql')
})

test('an object that an earlier version began to fill comes up to date when the move goes on with it', async () => {
  const family = openScratchFamily({ clock })
  expect(await family.object().begin('family')).toBe(true)
  family.evict([...migrationTexts(), { name: '9000_next.sql', sql: 'create table later (a)' }])
  expect(await family.object().begin('family')).toBe(true)
  expect(await run(family, 'move', 'select a from later')).toMatchObject({ results: [{ rows: [] }] })
})

test('calls during a migration wait for the same steps', async () => {
  const breathe = vi.fn(async () => undefined)
  const family = opened({ breathe })
  family.evict(later(1))
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => run(family, 'read', 'select * from later_0')),
  )
  for (const answer of answers) expect(answer).toHaveProperty('results')
  expect(breathe).toHaveBeenCalledTimes(3)
})

test('an object that a later version has used serves this one', async () => {
  const family = openScratchFamily({ clock, migrations: later(2) })
  await family.object().create('family')
  await run(family, 'write', write)
  family.evict(migrationTexts())
  expect(await run(family, 'read', read)).toMatchObject({ results: [{ rows: [['o']] }] })
  expect(await run(family, 'write', "update organizations set name = 'P'")).toHaveProperty('results')
  expect(await run(family, 'read', 'select * from organizations indexed by gone')).toHaveProperty('results')
  expect(family.alarmAtMs()).toBeNull()
})

test('a Worker of an earlier version may name an index that is gone, and a table that is gone is a mistake', async () => {
  const family = opened()
  const named = 'select key_id from operator_keys indexed by operator_keys_created'
  expect(await run(family, 'read', named)).toMatchObject({ results: [{ rows: [] }] })
  expect(await run(family, 'read', 'select * from gone')).toEqual({
    failed: expect.stringContaining('no such table') as string,
  })
})

const counting = { countedKeyId: 'k' }
const rated = "select 'k' as key_id, 2 as rate_per_minute"

test.each(['read', 'write'] as const)('a batch of mode %s counts by the column of the rate', async (mode) => {
  const family = opened()
  const count = (sql: string) => family.object().batch(mode, [{ sql, parameters: [] }], counting)
  expect(await count(rated)).toMatchObject({ budget: { ratePerMinute: 2, remaining: 1 } })
  expect(await count(`${rated} where false`)).not.toHaveProperty('budget')
  expect(await count(rated)).toMatchObject({ budget: { ratePerMinute: 2, remaining: 0 } })
})

test.each([
  ['without the column of the rate', ["select 'k' as key_id, 2 as rate"]],
  ['without it, and without a row', ["select 'k' as key_id where false"]],
  ['without a statement', []],
])('a counted batch %s fails, and says why', async (_, texts) => {
  const family = opened()
  const statements = texts.map((sql) => ({ sql, parameters: [] }))
  expect(await family.object().batch('read', statements, counting)).toEqual({
    failed: 'The first statement of a counted batch does not return the column rate_per_minute',
  })
  expect(family.logged).toEqual(['object_batch_failed'])
})
