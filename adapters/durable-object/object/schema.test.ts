import { expect, test } from 'vitest'
import { openObjectDatabase } from '../../../test/support/scratch/scratch-object.ts'
import {
  createFacts,
  readFacts,
  writeFact,
  applyStep,
  createSchema,
  isBehind,
  pendingSteps,
} from './schema.ts'
import { migrationTexts } from './migration-texts.ts'
import type { ObjectDatabase } from './batch.ts'
import type { Migration } from '../../sqlite/migration.ts'

const later: readonly Migration[] = [
  {
    name: '9001_labels.sql',
    sql: `-- A later version; its text has a ; in a comment.
CREATE TABLE labels (label_id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX labels_unique ON labels (name);
CREATE INDEX labels_name ON labels (name, label_id);
INSERT INTO labels VALUES ('a', 'A; B');
CREATE TRIGGER labels_kept AFTER DELETE ON labels BEGIN INSERT INTO labels VALUES (OLD.label_id, OLD.name); END;`,
  },
  {
    name: '9002_colours.sql',
    sql: `ALTER TABLE labels ADD COLUMN colour TEXT;
DROP INDEX labels_name;
CREATE INDEX labels_colour ON labels (colour)`,
  },
]

function schemaOf(database: ObjectDatabase): unknown {
  const bare = (sql: unknown) =>
    String(sql)
      .replaceAll(/--[^\n]*/g, ' ')
      .replaceAll(/\s+/g, ' ')
  const { rows } = database.run('select type, name, sql from sqlite_master order by type, name')
  return rows.map(([type, name, sql]) => [type, name, bare(sql)])
}

function created(migrations: readonly Migration[]): ObjectDatabase {
  const database = openObjectDatabase()
  database.transaction(() => createSchema(database, migrations))
  return database
}

test('migrations by steps, indexes last, make the schema that they make as they are written', () => {
  const all = [...migrationTexts(), ...later]
  const database = openObjectDatabase()
  createFacts(database)
  const steps = pendingSteps({ tables: '', indexes: '', indexesBeyond: 0 }, all)
  for (const step of steps) applyStep(database, step)
  expect(schemaOf(database)).toEqual(schemaOf(created(all)))
})

test('after each step the object knows where it is, and does none twice', () => {
  const all = [...migrationTexts(), ...later]
  const database = created(migrationTexts())
  writeFact(database, 'state', { name: 'open', familyId: 'f' })
  const newest = later.at(-1)?.name ?? ''
  const done: string[] = []
  for (;;) {
    // The position is read anew, as after an eviction, so everything that the object knows must be stored.
    const position = readFacts(database)?.schema
    if (position === undefined) throw new Error('The object has lost its facts')
    const [step] = pendingSteps(position, all)
    expect(isBehind(position, newest)).toBe(step !== undefined)
    if (step === undefined) break
    applyStep(database, step)
    done.push(step.sql.split('\n')[0] ?? '')
  }
  expect(done).toEqual([
    'CREATE TABLE labels (label_id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;',
    'ALTER TABLE labels ADD COLUMN colour TEXT;',
    'CREATE INDEX labels_name ON labels (name, label_id);',
    '',
    'DROP INDEX labels_name;',
    'CREATE INDEX labels_colour ON labels (colour)',
    '',
  ])
  expect(database.run('select name from labels').rows).toEqual([['A; B']])
  expect(schemaOf(database)).toEqual(schemaOf(created(all)))
})

test('a step that fails leaves nothing of itself', () => {
  const database = created(migrationTexts())
  const before = schemaOf(database)
  const broken = { name: '9001_broken.sql', sql: 'CREATE TABLE half (a TEXT); CREATE NONSENSE;' }
  const position = { tables: '9000', indexes: '9000', indexesBeyond: 0 }
  const [step] = pendingSteps(position, [broken])
  if (step === undefined) throw new Error('There is a step')
  expect(() => {
    applyStep(database, step)
  }).toThrow('syntax error')
  expect(schemaOf(database)).toEqual(before)
})

test('an object that a later version has used has nothing left to do', () => {
  const position = { tables: '9002_colours.sql', indexes: '9001_labels.sql', indexesBeyond: 1 }
  const own = migrationTexts()
  expect(pendingSteps(position, own)).toEqual([])
  expect(isBehind(position, own.at(-1)?.name ?? '')).toBe(false)
})
