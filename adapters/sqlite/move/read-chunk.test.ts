import { beforeEach, expect, test } from 'vitest'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import { openImage } from '../../node-sqlite/index.ts'
import { readChunk } from './read-chunk.ts'

const TABLE = {
  name: 'things',
  key: ['organization_id', 'id'],
  columns: ['organization_id', 'id', 'text'],
}
const FAMILY = ['a', 'b', 'c', 'd']

let run: (sql: string) => Promise<unknown>
let read: (from: Parameters<typeof readChunk>[3], rowsMax?: number) => ReturnType<typeof readChunk>

beforeEach(async () => {
  const database = openImage(migratedImage())
  run = (sql) => database.batch([{ sql, parameters: [] }])
  read = (from, rowsMax = 10) => readChunk(database, 'move', TABLE, from, rowsMax)
  await run('create table things (organization_id, id, text, primary key (organization_id, id))')
  for (const id of FAMILY)
    await run(`insert into move_organizations (move_id, organization_id) values ('move', '${id}')`)
  await run("insert into move_organizations (move_id, organization_id) values ('other', 'bb')")
})

test('organizations without rows in the table are passed over, so that a large family moves in few calls', async () => {
  await run("insert into things values ('b', 1, 'x'), ('bb', 1, 'stranger'), ('d', 1, 'y')")
  const first = await read(null)
  expect(first).toMatchObject({ rows: [['b', 1, 'x']], to: { organizationId: 'd', after: null } })
  expect(await read(first.to)).toMatchObject({ rows: [['d', 1, 'y']], to: null })
})

test('a chunk ends after as many rows as were asked for, and the next one begins there', async () => {
  await run("insert into things values ('a', 1, 'x'), ('a', 2, 'y'), ('a', 3, 'z')")
  const first = await read(null, 2)
  expect(first).toMatchObject({ rows: [{ 1: 1 }, { 1: 2 }], to: { organizationId: 'a', after: ['a', 2] } })
  expect(await read(first.to, 2)).toMatchObject({ rows: [{ 1: 3 }], to: null })
})

test('a chunk ends before it is larger than a megabyte, but has one row at least', async () => {
  const sizes = [400_000, 500_000, 300_000, 2_000_000, 1]
  for (const [index, size] of sizes.entries())
    await run(`insert into things values ('a', ${index}, printf('%.*c', ${size}, 'x'))`)
  const found: number[] = []
  for (let from = (await read(null)).to; from !== null; from = (await read(from)).to)
    found.push(Number(from.after?.[1]))
  expect(found).toEqual([1, 2, 3])
})

test('a chunk names each key of its table that the journal has, once, or says that there are too many', async () => {
  const note = (journal: string, table: string, key: number | string) =>
    run(
      `insert into move_journal (journal_id, table_name, key) values ('${journal}', '${table}', '["a",${key}]')`,
    )
  for (const key of [1, 2, 1]) await note('move', 'things', key)
  await note('other', 'things', 3)
  await note('move', 'others', 4)
  expect((await read(null)).journaled).toEqual([
    ['a', 1],
    ['a', 2],
  ])
  await run(`insert into move_journal (journal_id, table_name, key)
    with recursive n (i) as (select 3 union all select i + 1 from n where i < 2000)
    select 'move', 'things', json_array('a', i) from n`)
  expect((await read(null)).journaled).toHaveLength(2000)
  await note('move', 'things', 2001)
  expect((await read(null)).journaled).toBeNull()
})
