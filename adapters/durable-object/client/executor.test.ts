import { expect, test, vi } from 'vitest'
import { ElsewhereError, PausedError } from '../../../domain/placement/find/errors.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { openedImage } from '../../../test/support/scratch/scratch-object.ts'
import { namespaceOf, openScratchFamily, somePlace } from '../../../test/support/scratch/scratch-family.ts'
import { isOutgrown } from '../../sqlite/read/reading.ts'
import { createExecutor, createMeter, type FamilyObject } from '../index.ts'
import { migrationTexts } from '../object/migration-texts.ts'
import type { BatchAnswer } from '../protocol.ts'

const clock = fakeClock()
const say = (sql: string, ...parameters: readonly (string | number | null)[]) => ({ sql, parameters })
const reads = [say('select 1')]
const writes = [say('insert into t values (1)')]

const result = { columns: ['a', 'b'], rows: [[1, 'x']], changes: 0, rowsRead: 3, rowsWritten: 2 }

/** An executor whose object gives these outcomes in turn, with spies that count its calls and its stubs. */
function answering(...outcomes: readonly (BatchAnswer | Error)[]) {
  const left = [...outcomes]
  const batch = vi.fn<FamilyObject['batch']>(async () => {
    const outcome = left.shift() ?? { results: [result] }
    if (outcome instanceof Error) throw outcome
    return outcome
  })
  const open = vi.fn(() => ({ batch }))
  const meter = createMeter()
  const namespace = namespaceOf(open)
  return { executor: createExecutor({ namespace, place: somePlace, clock, meter }), batch, open, meter }
}

function failure(marks: Readonly<Record<string, boolean>>): Error {
  return Object.assign(new Error('The object failed'), marks)
}

test('rows come by the names of their columns, and the meter counts', async () => {
  const { executor, meter } = answering()
  const results = await executor.batch(reads)
  expect(results).toEqual([{ rows: [{ a: 1, b: 'x' }], changes: 0, rowsRead: 3, rowsWritten: 2 }])
  expect(meter).toEqual({ calls: 1, rowsRead: 3, rowsWritten: 2 })
})

test('no statements are no call', async () => {
  const { executor, batch } = answering()
  expect(await executor.batch([])).toEqual([])
  expect(batch).not.toHaveBeenCalled()
})

test('selects alone are a read; anything beside them makes a write of it', async () => {
  const { executor, batch } = answering()
  await executor.batch(reads)
  await executor.batch([...reads, ...writes])
  await executor.batch([say('with x as (select 1) select * from x')])
  await executor.batch([say('with x as (select 1) insert into t select * from x')])
  expect(batch.mock.calls.map(([mode]) => mode)).toEqual(['read', 'write', 'read', 'write'])
})

test('what an object refuses has a type of its own, and what SQLite says stays its message', async () => {
  await expect(answering({ elsewhere: true }).executor.batch(reads)).rejects.toThrow(ElsewhereError)
  await expect(answering({ paused: true }).executor.batch(writes)).rejects.toThrow(PausedError)
  const { executor, batch } = answering({ failed: 'UNIQUE constraint failed: forms.form_id' })
  await expect(executor.batch(reads)).rejects.toThrow('UNIQUE constraint failed: forms.form_id')
  expect(batch).toHaveBeenCalledTimes(1)
})

test('a page that outgrows a text is told apart by its message, which the storage looks at', async () => {
  const { executor } = answering({ failed: 'string or blob too big: SQLITE_TOOBIG' })
  await expect(executor.batch(reads)).rejects.toSatisfy(isOutgrown)
})

test.each(['retryable', 'durableObjectReset'])(
  'a read is tried again after a failure that is %s, on a new stub, and every call is counted',
  async (mark) => {
    const { executor, open, meter } = answering(failure({ [mark]: true }), failure({ [mark]: true }))
    await expect(executor.batch(reads)).resolves.toHaveLength(1)
    expect(open).toHaveBeenCalledTimes(3)
    expect(meter.calls).toBe(3)
  },
)

test.each(['retryable', 'overloaded', 'durableObjectReset'])(
  'a write is not tried again after a failure that is %s: it may have happened',
  async (mark) => {
    const { executor, batch } = answering(failure({ [mark]: true }))
    await expect(executor.batch(writes)).rejects.toThrow('The object failed')
    expect(batch).toHaveBeenCalledTimes(1)
  },
)

test('an object that has too much to do is not asked again, though the failure passes', async () => {
  const { executor, batch } = answering(failure({ overloaded: true, retryable: true }))
  await expect(executor.batch(reads)).rejects.toThrow('The object failed')
  expect(batch).toHaveBeenCalledTimes(1)
})

test('a failure that the platform says nothing about is not tried again', async () => {
  const { executor, batch } = answering(failure({}))
  await expect(executor.batch(reads)).rejects.toThrow('The object failed')
  expect(batch).toHaveBeenCalledTimes(1)
})

test('after a failure, the next batch has a new stub too', async () => {
  const { executor, open } = answering(failure({}))
  await executor.batch(reads).catch(() => undefined)
  await executor.batch(reads)
  await executor.batch(reads)
  expect(open).toHaveBeenCalledTimes(2)
})

test('tries are bounded', async () => {
  vi.useFakeTimers()
  const { executor, batch } = answering(...Array.from({ length: 20 }, () => failure({ retryable: true })))
  const tries = expect(executor.batch(reads)).rejects.toThrow('The object failed')
  await vi.runAllTimersAsync()
  await tries
  expect(batch).toHaveBeenCalledTimes(6)
  vi.useRealTimers()
})

test('a write whose answer was lost happened once, and its caller learns that it is uncertain', async () => {
  const family = openScratchFamily({ clock, image: openedImage() })
  const losing = namespaceOf(() => ({
    async batch(...given) {
      await family.object().batch(...given)
      throw failure({ retryable: true })
    },
  }))
  const insert = say(
    'insert into audit (audit_id, at, operator_key_id, operator, action, outcome) values (1,2,3,4,5,6)',
  )
  const lost = createExecutor({ namespace: losing, place: somePlace, clock })
  await expect(lost.batch([insert])).rejects.toThrow('The object failed')
  const namespace = namespaceOf(() => family.object())
  const executor = createExecutor({ namespace, place: somePlace, clock })
  expect((await executor.batch([say('select count(*) as count from audit')]))[0]?.rows).toEqual([
    { count: 1 },
  ])
})

test('changes that nobody asks for are not counted, and everybody else counts theirs', async () => {
  const family = openScratchFamily({ clock, image: openedImage() })
  const texts: string[] = []
  const run = family.database.run.bind(family.database)
  family.database.run = (sql, parameters) => {
    texts.push(sql)
    return run(sql, parameters)
  }
  const namespace = namespaceOf(() => family.object())
  const executor = createExecutor({ namespace, place: somePlace, clock })
  const change = say("insert into imports_seen values ('a'), ('b')")
  await executor.batch([say('create table imports_seen (name text)')])
  texts.length = 0
  const [first, second] = await executor.batch([{ ...change, isUncounted: true }, change])
  expect([first?.changes, second?.changes]).toEqual([0, 2])
  expect(texts.filter((sql) => sql.includes('total_changes'))).toHaveLength(2)
})

const later = [...migrationTexts(), { name: '9000_later.sql', sql: 'create table later (a text);' }]
const newer = { newest: '9000_later.sql', load: async () => later }

test('a Worker that is ahead of an object gives it what it lacks, once', async () => {
  const family = openScratchFamily({ clock, image: openedImage() })
  const advance = vi.fn<FamilyObject['advance']>((migrations) => family.object().advance(migrations))
  const namespace = namespaceOf(() => ({ batch: (...given) => family.object().batch(...given), advance }))
  const ahead = createExecutor({ namespace, place: somePlace, clock, migrations: newer })
  await ahead.batch([say("insert into later values ('x')")])
  expect((await ahead.batch([say('select a from later')]))[0]?.rows).toEqual([{ a: 'x' }])
  expect(advance).toHaveBeenCalledTimes(1)
  const behind = createExecutor({ namespace, place: somePlace, clock })
  await expect(behind.batch([say('select 1')])).resolves.toHaveLength(1)
})

test('an object that cannot come up to date still runs what needs nothing of it', async () => {
  const family = openScratchFamily({ clock, image: openedImage() })
  const namespace = namespaceOf(() => family.object())
  const broken = [...migrationTexts(), { name: '9000_broken.sql', sql: 'create nonsense;' }]
  const migrations = { newest: '9000_broken.sql', load: async () => broken }
  const meter = createMeter()
  const ahead = createExecutor({ namespace, place: somePlace, clock, migrations, meter })
  await expect(ahead.batch(reads)).resolves.toHaveLength(1)
  expect([family.logged, meter.calls]).toEqual([['object_schema_step_failed'], 3])
})

test('an object that takes long to come up to date is not waited for without end', async () => {
  const batch = vi.fn<FamilyObject['batch']>(async (_mode, _statements, terms) =>
    terms?.migration === undefined ? { results: [result] } : { behind: true },
  )
  const namespace = namespaceOf(() => ({ batch, advance: async () => true }))
  const ahead = createExecutor({ namespace, place: somePlace, clock, migrations: newer })
  await expect(ahead.batch(reads)).resolves.toHaveLength(1)
  expect(batch).toHaveBeenCalledTimes(22)
})

test('more than a call takes is not sent', async () => {
  const { executor, batch } = answering()
  const many = say('select 1', ...Array.from({ length: 101 }, () => 1))
  await expect(executor.batch([many])).rejects.toThrow('A statement has 101 parameters; it may have 100')
  const most = answering()
  await most.executor.batch([say('select 1', ...Array.from({ length: 100 }, () => 1))])
  expect(most.batch).toHaveBeenCalledOnce()
  const large = Array.from({ length: 17 }, () => say('select ?', 'x'.repeat(1_000_000)))
  await expect(executor.batch(large)).rejects.toThrow(/^A batch has 17\d+ characters; it may have 16\d+$/)
  expect(batch).not.toHaveBeenCalled()
})

test('an object is named by family and generation, within its jurisdiction, and hinted to its region', async () => {
  const asked: unknown[] = []
  const namespace = {
    ...namespaceOf(() => ({ batch: async () => ({ results: [] }) })),
    idFromName: (name: string) => ({ name }),
    get: (id: object, options?: object) => {
      asked.push([id, options])
      return { batch: async () => ({ results: [] }) }
    },
    jurisdiction: (name: string) => {
      asked.push(name)
      return namespace
    },
  }
  const batch = (place: object) =>
    createExecutor({ namespace, place: { ...somePlace, ...place }, clock }).batch(reads)
  await batch({ generation: 7, region: 'weur' })
  await batch({ jurisdiction: 'eu' })
  expect(asked).toEqual([[{ name: 'family.7' }, { locationHint: 'weur' }], 'eu', [{ name: 'family.1' }, {}]])
})
