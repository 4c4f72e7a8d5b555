import { expect, test } from 'vitest'
import { migratedImage } from '../../test/support/databases/migrated-image.ts'
import { openImage } from '../node-sqlite/index.ts'
import { readMovedTables } from './move/moved-rows.ts'
import { readArchivedTables, unarchivedTables } from './archive.ts'

test('every table that moves is either archived or named among those that are not', async () => {
  const database = openImage(migratedImage())
  const archived = (await readArchivedTables(database)).map(({ archived: { name } }) => name)
  expect([...archived, ...Object.keys(unarchivedTables)].sort()).toEqual(
    (await readMovedTables(database)).map(({ name }) => name).sort(),
  )
})

test('a column has the type, and the null, that its table declares', async () => {
  const database = openImage(migratedImage())
  const [table] = await readArchivedTables(database, 'sites')
  const sql = 'select name, type, not "notnull" as nullable from pragma_table_info(\'sites\')'
  const [declared] = await database.batch([{ sql, parameters: [] }])
  const words: Readonly<Record<string, string>> = { INTEGER: 'integer', REAL: 'real', TEXT: 'text' }
  const wanted = new Map(
    declared?.rows.map(({ name, type, nullable }) => [name, [words[String(type)], nullable === 1]]),
  )
  expect(table?.names).toContain('latitude')
  expect(table?.archived.columns.map(({ type, isNullable }) => [type, isNullable])).toEqual(
    table?.names.map((name) => wanted.get(name)),
  )
})

test.each(['sites ', 'unknown', 'import_chunks', 'audit'])('there is no archived table %j', async (name) => {
  expect(await readArchivedTables(openImage(migratedImage()), name)).toEqual([])
})
