import { DatabaseSync } from 'node:sqlite'
import { expect, test, afterEach, vi } from 'vitest'
import { openSqliteAsD1 } from '../../test/support/databases/sqlite-as-d1.ts'
import { readEnv } from '../env/index.ts'
import { openKept } from './kept.ts'
import { refuseStranger, prepare, PreparationFailure } from './prepare.ts'

function ask(url: string, headers: Readonly<Record<string, string>>): Response | null {
  return refuseStranger(new Request(url, { headers }), new URL(url))
}

test.each([
  ['http://127.0.0.1:8787/mailbox', '127.0.0.1:8787'],
  ['http://localhost/assets/pages.css', 'localhost'],
  ['http://[::1]:8787/', '[::1]:8787'],
])('a request to %s is from this machine', (url, host) => {
  expect(ask(url, { host })).toBe(null)
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['http://evil.example/', { host: 'evil.example' }],
  ['http://localhost/assets/pages.css', { host: 'evil.example' }],
  [
    'http://localhost/',
    { host: 'evil.example', 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' },
  ],
  ['http://evil.example/', { host: 'localhost' }],
  ['http://localhost/', {}],
])('a request to %s with the headers %j is refused', async (url, headers) => {
  const response = ask(url, headers)
  expect([response?.status, await response?.json()]).toEqual([403, { error: expect.any(String) as string }])
})

const lifetime = { waitUntil: vi.fn() }
const opened: ReturnType<typeof openSqliteAsD1>[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.close()
})

/** A state without anything, whose service is for a command. */
function emptyState() {
  const empty = new DatabaseSync(':memory:')
  empty.exec('CREATE TABLE a (b); DROP TABLE a')
  const made = openSqliteAsD1(empty.serialize())
  opened.push(made)
  return { DB: made.database, LOCAL_DEMO: 'no', MAIL_DOMAIN: 'mail.example.com', PLATFORM_BRAND: 'Brand' }
}

test('a state gets a root secret, tables and a mailbox, once', async () => {
  const given = emptyState()
  const first = await prepare(given, lifetime)
  const reading = readEnv(first.bindings)
  if (!reading.ok) throw new Error(reading.problems.join())
  expect([reading.env.rootSecret, reading.env.email?.kind, reading.env.sms?.kind]).toEqual([
    first.rootSecret,
    'local',
    'local',
  ])
  expect(await first.mailbox.list(1)).toEqual([])
  expect((await prepare(given, lifetime)).rootSecret).toBe(first.rootSecret)
  expect((await prepare(given, lifetime, 'known state')).rootSecret).toBe(first.rootSecret)
})

test('a given root secret wins and is kept, and one that is none is said', async () => {
  const given = emptyState()
  await prepare(given, lifetime)
  const ROOT_SECRET = 'A'.repeat(43)
  expect((await prepare({ ...given, ROOT_SECRET }, lifetime)).rootSecret).toBe(ROOT_SECRET)
  expect((await prepare(given, lifetime)).rootSecret).toBe(ROOT_SECRET)
  await expect(prepare({ ...given, ROOT_SECRET: 'short' }, lifetime)).rejects.toThrow(
    'The service is not configured. ROOT_SECRET must be 32 random bytes',
  )
})

test('what no request from this machine has prepared is not prepared by a message or a trigger', async () => {
  const given = emptyState()
  await expect(prepare(given, lifetime, 'known state')).rejects.toThrow(PreparationFailure)
  const kept = await openKept(given.DB)
  expect(await kept.read('root-secret')).toBe(null)
})

test('databases of another version are left alone, with a sentence', async () => {
  const given = emptyState()
  await given.DB.batch([
    given.DB.prepare(
      'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE, applied_at TEXT)',
    ),
    given.DB.prepare("INSERT INTO d1_migrations (name) VALUES ('0001_old.sql'), ('local_mailbox_2')"),
  ])
  await expect(prepare(given, lifetime)).rejects.toThrow(
    'These local databases are of another version of the service, which has the migration 0001_old.sql.',
  )
})
