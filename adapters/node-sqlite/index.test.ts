import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import type { BoundValue, Statement } from '../sqlite/index.ts'
import {
  createExecutor,
  createMeter,
  migrate,
  nodeSqliteCapabilities,
  openImage,
  openNodeSqlite,
} from './index.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

const scratch = scratchFolder()

/** A folder of migrations, each a name and its SQL. */
function folderOf(name: string, migrations: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(join(scratch, `${name}-`))
  for (const [file, sql] of Object.entries(migrations)) writeFileSync(join(folder, file), sql)
  return pathToFileURL(`${folder}/`)
}

const things = folderOf('things', {
  '0001_things.sql': 'create table things (id integer primary key, name text);',
})
const say = (sql: string, ...parameters: readonly BoundValue[]): Statement => ({ sql, parameters })
const openThings = (path = ':memory:') => openNodeSqlite({ path, migrations: things, busyTimeoutMs: 50 })

test('a batch answers each statement with its rows and changes, those of triggers included', async () => {
  const database = openThings()
  const results = await database.batch([
    say('create table seen (id integer)'),
    say('create trigger seen_things after insert on things begin insert into seen values (new.id); end'),
    say("insert into things (name) values (?), ('b') returning id", 'a'),
    say('select name from things order by id'),
  ])
  expect(results.slice(2)).toEqual([
    { rows: [{ id: 1 }, { id: 2 }], changes: 4, rowsRead: null, rowsWritten: null },
    { rows: [{ name: 'a' }, { name: 'b' }], changes: 0, rowsRead: null, rowsWritten: null },
  ])
})

test('it says that it cannot count rows, and a meter counts calls alone', async () => {
  const meter = createMeter()
  const database = openNodeSqlite({ path: ':memory:', migrations: things, meter })
  await database.batch([say('select * from things')])
  expect([nodeSqliteCapabilities.countsRows, meter]).toEqual([
    false,
    { calls: 1, rowsRead: 0, rowsWritten: 0 },
  ])
})

test('all of a batch happens or nothing, also when only the commit fails', async () => {
  const database = openThings()
  const insert = say("insert into things (name) values ('lost')")
  await expect(database.batch([insert, say('insert into missing values (1)')])).rejects.toThrow(
    'no such table',
  )
  await database.batch([
    say('create table parts (thing integer references things (id) deferrable initially deferred)'),
  ])
  await expect(database.batch([insert, say('insert into parts values (99)')])).rejects.toThrow('FOREIGN KEY')
  const [left] = await database.batch([say('select count(*) as count from things')])
  expect(left?.rows).toEqual([{ count: 0 }])
})

test('batches of callers that interleave never mix', async () => {
  const database = openThings()
  const add = async () => {
    const [before] = await database.batch([say('select count(*) as count from things')])
    await Promise.resolve()
    const [, inside] = await database.batch([
      say("insert into things (name) values ('x')"),
      say('select count(*) as count from things'),
      say("insert into things (name) values ('y')"),
    ])
    return [before?.rows[0]?.count, Number(inside?.rows[0]?.count) % 2]
  }
  const seen = await Promise.all(Array.from({ length: 20 }, add))
  expect(seen.map(([, odd]) => odd)).toEqual(Array.from({ length: 20 }, () => 1))
})

test.each([true, undefined, 10n])('a parameter %s is refused', async (value) => {
  const database = openThings()
  const wrong = say('select ?', value as unknown as BoundValue)
  await expect(database.batch([say("insert into things (name) values ('lost')"), wrong])).rejects.toThrow(
    TypeError,
  )
  expect((await database.batch([say('select * from things')]))[0]?.rows).toEqual([])
})

test('a whole number beyond what a number can hold fails', async () => {
  await expect(openThings().batch([say('select 9007199254740993 as big')])).rejects.toThrow('too large')
})

test('more kinds of statements than are kept prepared still answer', async () => {
  const database = openThings()
  for (let index = 0; index < 500; index += 1) {
    const [answer] = await database.batch([say(`select ${index} as value`)])
    expect(answer?.rows).toEqual([{ value: index }])
  }
})

test('a file is kept, and opened again it lacks no migration', async () => {
  const path = join(scratch, 'kept.sqlite')
  const first = openThings(path)
  await first.batch([say("insert into things (name) values ('kept')")])
  first.close()
  await expect(first.batch([say('select 1')])).rejects.toThrow('not open')
  const second = openThings(path)
  expect((await second.batch([say('select name from things')]))[0]?.rows).toEqual([{ name: 'kept' }])
  const copy = openImage(second.image())
  second.close()
  expect((await copy.batch([say('select name from things')]))[0]?.rows).toEqual([{ name: 'kept' }])
})

test('a copy is a database of its own', async () => {
  const original = openThings()
  const copy = openImage(original.image())
  await copy.batch([say("insert into things (name) values ('copied')")])
  expect((await original.batch([say('select * from things')]))[0]?.rows).toEqual([])
})

test('while another process writes, a batch that reads goes on, and one that writes waits and rejects', async () => {
  const path = join(scratch, 'locked.sqlite')
  const database = openThings(path)
  const other = new DatabaseSync(path)
  other.exec("begin immediate; insert into things (name) values ('open')")
  expect((await database.batch([say('select * from things')]))[0]?.rows).toEqual([])
  await expect(database.batch([say("insert into things (name) values ('late')")])).rejects.toThrow('locked')
  other.exec('rollback')
  await database.batch([say("insert into things (name) values ('late')")])
  expect((await database.batch([say('select name from things')]))[0]?.rows).toEqual([{ name: 'late' }])
})

test('migrations are applied in order, once, and all of them or none', () => {
  const database = new DatabaseSync(':memory:')
  const one = { '0001_a.sql': 'create table a (id integer);' }
  const two = { ...one, '0002_b.sql': 'alter table a add column name text; create table b (id integer);' }
  expect(migrate(database, folderOf('one', one))).toEqual(['0001_a.sql'])
  expect(migrate(database, folderOf('two', two))).toEqual(['0002_b.sql'])
  expect(migrate(database, folderOf('two', two))).toEqual([])
  const broken = { ...two, '0003_c.sql': 'create table c (id integer);', '0004_d.sql': 'create nonsense;' }
  expect(() => migrate(database, folderOf('broken', broken))).toThrow('syntax error')
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").all()
  expect(tables.map(({ name }) => name)).toEqual(['a', 'applied_migrations', 'b'])
})

test('a database whose migrations fail is closed', () => {
  const broken = folderOf('closed', { '0001_a.sql': 'create nonsense;' })
  const close = vi.spyOn(DatabaseSync.prototype, 'close')
  expect(() => openNodeSqlite({ path: ':memory:', migrations: broken })).toThrow('syntax error')
  expect(close).toHaveBeenCalledTimes(1)
  close.mockRestore()
})

test('the example of the README runs', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  const example = /```js\n([^]*?)```/.exec(readme)?.[1] ?? 'throw new Error("The README has no example")'
  const file = join(scratch, 'example.mjs')
  // The package is not installed in its own project, so the example imports the source files.
  const adapter = new URL('index.ts', import.meta.url).href
  const operator = new URL('../../domain/operator.ts', import.meta.url).href
  const linked = example
    .replace('tenant-data-api/adapters/node-sqlite', adapter)
    .replace('tenant-data-api/operator', operator)
  writeFileSync(file, linked)
  expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe('VIP\n')
})

test('the reads of a batch see one state, though another connection writes between them', async () => {
  const path = join(scratch, 'one-state.sqlite')
  openNodeSqlite({ path, migrations: things }).close()
  const [reader, writer] = [new DatabaseSync(path), new DatabaseSync(path)]
  reader.function('write_elsewhere', () => {
    writer.exec("insert into things (name) values ('late')")
    return null
  })
  const count = say('select count(*) as count from things')
  const [first, , last] = await createExecutor(reader).batch([count, say('select write_elsewhere()'), count])
  expect([first?.rows, last?.rows]).toEqual([[{ count: 0 }], [{ count: 0 }]])
  const [later] = await createExecutor(reader).batch([count])
  expect(later?.rows).toEqual([{ count: 1 }])
  for (const database of [reader, writer]) database.close()
})

test('a single write that fails half-way leaves nothing, even where SQLite would keep its first rows', async () => {
  const database = openThings()
  await expect(
    database.batch([say("insert or fail into things (id, name) values (1, 'a'), (1, 'b')")]),
  ).rejects.toThrow('UNIQUE')
  const [found] = await database.batch([say('select * from things')])
  expect(found?.rows).toEqual([])
})
