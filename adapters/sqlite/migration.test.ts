import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { migrationsOf } from '../node-sqlite/index.ts'
import { splitStatements } from './migration.ts'

it('keeps strings, names and triggers whole, and drops comments', () => {
  const trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; UPDATE c SET d = ';'; END;"
  const sql = `-- one; two\nINSERT INTO "a;b" VALUES ('it''s; -- here'); /* ; */ ${trigger}\nSELECT 1`
  expect(splitStatements(sql)).toEqual([`INSERT INTO "a;b" VALUES ('it''s; -- here');`, trigger, 'SELECT 1'])
})

it.each(['sqlite', 'pos-legacy-vendor'] as const)(
  'makes the same schema of %s as the whole text',
  (adapter) => {
    const folder = fileURLToPath(migrationsOf(adapter))
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    const schemaBy = (run: (database: DatabaseSync, text: string) => void) => {
      const database = new DatabaseSync(':memory:')
      for (const text of texts) run(database, text)
      const rows = database.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
      database.close()
      return rows.map(({ type, name, sql }) => [
        type,
        name,
        String(sql)
          .replaceAll(/--[^\n]*|\s+/g, ' ')
          .replaceAll(/\s+/g, ' '),
      ])
    }
    const whole = schemaBy((database, text) => {
      database.exec(text)
    })
    const split = schemaBy((database, text) => {
      for (const statement of splitStatements(text)) database.prepare(statement).run()
    })
    expect(split).toEqual(whole)
    expect(split.length).toBeGreaterThan(1)
  },
)
