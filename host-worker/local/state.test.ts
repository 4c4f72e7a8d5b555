import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sharedDatabaseFile } from '../../test/support/databases/d1-files.ts'
import { scratchFolder } from '../../test/support/pos/pos-gateway.ts'
import { adoptEarlierState, localSecrets, persistPath, readStateRecord } from './state.ts'

it('takes over the databases of version 1.0.0, once', () => {
  const directory = scratchFolder()
  adoptEarlierState(directory)
  expect(existsSync(persistPath(directory))).toBe(false)
  mkdirSync(join(directory, 'databases', 'v3', 'd1'), { recursive: true })
  adoptEarlierState(directory)
  adoptEarlierState(directory)
  expect(existsSync(join(persistPath(directory), 'd1'))).toBe(true)
})

it('makes a root secret once, and takes that of a state which has one', () => {
  const [fresh, used] = [scratchFolder(), scratchFolder()]
  const made = localSecrets(fresh)
  expect(made.ROOT_SECRET).toMatch(/^[\w-]{43}$/)
  expect([localSecrets(fresh), statSync(join(fresh, 'secrets.env')).mode & 0o777]).toEqual([made, 0o600])
  const file = sharedDatabaseFile(used)
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec(
    "CREATE TABLE local_state (name, value); INSERT INTO local_state VALUES ('root-secret', 'kept')",
  )
  database.close()
  expect(localSecrets(used)).toEqual({ ROOT_SECRET: 'kept' })
})

it('reads what a state keeps of itself, beside whoever has it open', () => {
  const directory = scratchFolder()
  expect(readStateRecord(directory)).toBe(null)
  const file = sharedDatabaseFile(directory)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(join(dirname(file), 'metadata.sqlite'), '')
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL')
  expect(readStateRecord(directory)).toBe(null)
  database.exec('CREATE TABLE local_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
  expect(readStateRecord(directory)).toBe(null)
  const write = database.prepare('INSERT INTO local_state VALUES (?, ?)')
  write.run('root-secret', 'secret')
  expect(readStateRecord(directory)).toEqual({
    rootSecret: 'secret',
    operatorKey: null,
    address: null,
    demoKeys: new Map(),
  })
  write.run('operator-key', 'ok')
  write.run('address', 'http://localhost:1')
  write.run('tenant-key demo', 'ck')
  database.exec("BEGIN; UPDATE local_state SET value = 'not yet'")
  expect(readStateRecord(directory)).toEqual({
    rootSecret: 'secret',
    operatorKey: 'ok',
    address: 'http://localhost:1',
    demoKeys: new Map([['demo', 'ck']]),
  })
  database.close()
})
