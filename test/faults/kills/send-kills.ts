/**
 * Sends an email to 500 people with an idempotency key, again and again, and kills the runtime when some of them were
 * delivered. In the files that it leaves, each delivery must have been recorded before. Then ten minutes are over, and the
 * request is made again on a new runtime: nobody is written to twice, and each recipient is sent to or unknown. Variables:
 * SEND_KILLS (default 10) and KILL_SEED.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { serviceName } from '../../../host-worker/local/host.ts'
import { persistPath, readStateRecord } from '../../../host-worker/local/state.ts'
import { sharedDatabaseFile } from '../../support/databases/d1-files.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { prepareLauncher } from '../../support/services/killable-service.ts'
import { issueAdminKey, operatorCall } from '../../support/services/operator/operator-http.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'

const kills = Number(process.env.SEND_KILLS ?? 10)
const seed = Number(process.env.KILL_SEED ?? 20_261_126)

const RECIPIENTS = 500
const TEN_MINUTES_MS = 600_000
const POLL_MS = 3
const DELIVERED_WITHIN_MS = 60_000

interface Sent {
  readonly sendId: string
  readonly to: string
  readonly outcome: string
}

interface Answer {
  readonly status: number
  readonly results?: readonly { readonly to: string; readonly success: boolean; readonly error?: string }[]
}

const { check, report, say } = createChecks()
const draw = seededRandom(seed)
const state = scratchDirectory()
const launcher = await prepareLauncher(state)
let service = await launcher.start()
const ROOT_SECRET = readStateRecord(state)?.rootSecret ?? ''
const operatorKey = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))
const shared = sharedDatabaseFile(state)

async function operator(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const call = operatorCall(service.origin, operatorKey)
  const request = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
  const response = await call(method, `/operator/v1/organizations/${path}`, request)
  assert(response.ok, `${path}: ${response.status}`)
  return response.json()
}

async function post(key: string, to: readonly string[]): Promise<Answer> {
  const response = await fetch(`${service.origin}/api/v1/email`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'news',
    },
    body: JSON.stringify({ to, subject: 'News', html: '<p>News</p>' }),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

/** The files of the databases: the shared one, and those of families. */
function files(): readonly string[] {
  const folder = join(persistPath(state), 'do', `${serviceName()}-FamilyDatabase`)
  const objects = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
  return [shared, ...objects.map((name) => join(folder, name))]
}

function within<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Whom the mailbox has an email for, with repetitions. */
function delivered(domain: string): readonly { readonly sendId: string; readonly to: string }[] {
  return within(shared, (database) =>
    database
      .prepare('select message_id as id, recipient from local_mailbox where recipient like ?')
      .all(`%@${domain}`)
      .map(({ id, recipient }) => ({ sendId: String(id).replace(/^local_/, ''), to: String(recipient) })),
  )
}

/** What is recorded of an organization, wherever it lives. */
function recorded(organizationId: string): readonly Sent[] {
  const sql = 'select send_id as sendId, recipient as "to", outcome from sends where organization_id = ?'
  return files().flatMap((file) =>
    within(file, (database) =>
      hasTable(database) ? (database.prepare(sql).all(organizationId) as unknown as Sent[]) : [],
    ),
  )
}

function hasTable(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_master where name = 'send_requests'").get() !== undefined
}

/** Lets ten minutes pass for everything that is recorded. */
function passTenMinutes(): void {
  const before = toInstant(Date.now() - TEN_MINUTES_MS - 1_000)
  for (const file of files())
    within(file, (database) => {
      if (!hasTable(database)) return
      database.prepare('update send_requests set busy_until = ? where is_ended = 0').run(before)
      database.prepare("update sends set at = ? where outcome = 'pending'").run(before)
    })
}

/** Kills the runtime when so many emails of a request were delivered. */
async function killAt(count: number, domain: string): Promise<void> {
  const untilMs = performance.now() + DELIVERED_WITHIN_MS
  const database = new DatabaseSync(shared, { readOnly: true, timeout: 5_000 })
  const counting = database.prepare('select count(*) as count from local_mailbox where recipient like ?')
  while (Number(counting.get(`%@${domain}`)?.count) < count && performance.now() < untilMs)
    await pause(POLL_MS)
  service.kill()
  database.close()
  await service.dispose()
}

function assertAccounted(organizationId: string, domain: string): readonly Sent[] {
  const rows = recorded(organizationId)
  const byId = new Map(rows.map((row) => [row.sendId, row]))
  const untraced = delivered(domain).filter(({ sendId, to }) => {
    const row = byId.get(sendId)
    return row?.to !== to || !['accepted', 'pending'].includes(row.outcome)
  })
  assert.deepEqual(untraced, [], 'delivered without a trace')
  const sentIds = new Set(delivered(domain).map(({ sendId }) => sendId))
  const invented = rows.filter(({ sendId, outcome }) => outcome === 'accepted' && !sentIds.has(sendId))
  assert.deepEqual(invented, [], 'recorded and not delivered')
  return rows
}

async function round(number: number): Promise<void> {
  const organizationId = `sender-${number}`
  const domain = `${organizationId}.example.com`
  const place = number % 2 === 0 ? 'shared' : 'own'
  await operator('POST', organizationId, { name: organizationId, slug: organizationId, place })
  const { key } = (await operator('POST', `${organizationId}/keys`, {})) as { readonly key: string }
  const to = Array.from({ length: RECIPIENTS }, (_, index) => `a${index}@${domain}`)
  const answer = post(key, to).catch(() => null)
  await killAt(Math.floor(draw() * RECIPIENTS), domain)
  const told = await answer
  const rows = assertAccounted(organizationId, domain)
  assert.equal(rows.length, RECIPIENTS)
  const before = delivered(domain).length
  passTenMinutes()
  service = await launcher.start()

  const { data } = (await operator('GET', `${organizationId}/sends?limit=500`)) as {
    readonly data: readonly { readonly outcome: string }[]
  }
  const count = (outcome: string) => data.filter((send) => send.outcome === outcome).length
  assert.equal(count('accepted') + count('unknown'), RECIPIENTS)
  const repeated = await post(key, to)
  const unknown = (repeated.results ?? []).filter(({ success }) => !success)
  assert.deepEqual(
    unknown.filter(({ error }) => error?.startsWith('Unknown: ') !== true),
    [],
  )
  assert.deepEqual(
    repeated.results?.map((result) => result.to),
    to,
  )
  const after = delivered(domain)
  assert.equal(
    new Set(after.map((message) => message.to)).size,
    after.length,
    'somebody was written to twice',
  )
  const known = new Set(after.map((message) => message.to))
  for (const result of repeated.results ?? [])
    assert(!result.success || known.has(result.to), `${result.to} is called sent`)
  assertAccounted(organizationId, domain)
  assert.deepEqual(await post(key, to), repeated)
  const outcome = told === null ? 'no answer' : `the answer ${told.status}`
  say(
    `        ${place}: ${before} were delivered, ${count('accepted')} recorded so; ${outcome}; then ${after.length - before} more, ${unknown.length} unknown`,
  )
}

say(`KILL_SEED=${seed} SEND_KILLS=${kills}`)
for (let number = 0; number < kills; number += 1)
  await check(
    `kill ${number + 1}: each of ${RECIPIENTS} is accounted for, and nobody is written to twice`,
    () => round(number),
  )
await service.dispose()
report()
process.exit()
