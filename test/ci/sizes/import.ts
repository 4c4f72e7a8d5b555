import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createChecks } from '../../support/runner/checks.ts'
import { contactLines, writeCsv, writeNdjson, type ContactLine } from '../../support/data/contact-files.ts'
import {
  freePort,
  operate,
  operateOrThrow,
  scratchDirectory,
  startService,
  type Operated,
  type RequestLine,
  type StartedService,
} from '../../support/services/started-service.ts'
import { walk, type ApiRow, type Walk } from '../../support/data/walk.ts'
import { importLargeFiles } from './large-import.ts'

const ROWS = 25_000
/** Line of the file with a mistake: the last but one. */
const BAD_LINE = ROWS - 1
const PAGE = 500
/**
 * How many rows a request may read beyond its page: the key, the organization, and the row that shows whether more
 * follow.
 */
const OVERHEAD_ROWS = 12
/** How long the line of a request may take to appear in the log. */
const LOGGED_MS = 5_000

const { check, report, say } = createChecks()
const state = scratchDirectory()
const files = scratchDirectory()
const path = (name: string): string => join(files, name)

const lines = contactLines(ROWS, 1)
writeNdjson(path('first.ndjson'), lines)
writeNdjson(path('second.ndjson'), contactLines(ROWS, 2))
writeCsv(path('first.csv'), lines)
writeNdjson(
  path('bad.ndjson'),
  lines.map((line, index) => (index === BAD_LINE - 1 ? { ...line, emailConsent: 'maybe' } : line)),
)

async function createOrganization(organizationId: string): Promise<string> {
  await operateOrThrow(state, 'org', 'create', '--id', organizationId, '--name', organizationId)
  return operateOrThrow(state, 'key', 'issue', '--org', organizationId)
}

/** Imports contacts and prints the speed, including the start of the command. */
async function importContacts(file: string, organizationId: string): Promise<Operated> {
  const startedAt = performance.now()
  const outcome = await operate(state, 'import', 'contacts', path(file), '--org', organizationId)
  const seconds = (performance.now() - startedAt) / 1000
  say(`        ${file} → ${organizationId}: ${seconds.toFixed(1)} s, ${Math.round(ROWS / seconds)} rows/s`)
  return outcome
}

function assertImported({ code, stdout, stderr }: Operated, changed: number): void {
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim(), `contacts: ${ROWS} read, ${changed} changed, ${ROWS - changed} unchanged`)
}

function assertComplete({ rows }: Walk, expected: readonly ContactLine[]): void {
  const ids = rows.map(({ contactId }) => contactId)
  assert.equal(new Set(ids).size, ids.length, 'no row twice')
  assert.deepEqual([...ids].sort(), expected.map(({ contactId }) => contactId).sort())
  const order = rows.map(({ createdAt, contactId }) => `${String(createdAt)} ${String(contactId)}`)
  assert.deepEqual(order, [...order].sort().reverse(), 'newest first')
}

/** Walks again and again while some work is in progress. The first walk starts at the beginning of the work. */
async function walkDuring<Result>(
  work: Promise<Result>,
  read: () => Promise<Walk>,
): Promise<[Result, Walk[]]> {
  const progress = { isDone: false }
  const watched = work.finally(() => {
    progress.isDone = true
  })
  const walks: Walk[] = []
  try {
    do walks.push(await read())
    while (!progress.isDone)
  } finally {
    // Even if a walk fails, the work ends before the next check begins.
    await watched
  }
  return [await watched, walks]
}

function withoutUpdatedAt(rows: readonly ApiRow[]): readonly ApiRow[] {
  return rows.map(({ updatedAt, ...rest }) => (typeof updatedAt === 'string' ? rest : {}))
}

async function readWhileImporting(
  service: StartedService,
  firstKey: string,
  secondKey: string,
): Promise<void> {
  const read = () => walk(service.origin, `/api/v1/contacts?limit=${PAGE}`, firstKey)
  let before: Walk = { rows: [], requestIds: [] }
  await check(`imports ${ROWS} rows, all of them readable`, async () => {
    assertImported(await importContacts('first.ndjson', 'first'), ROWS)
    before = await read()
    assertComplete(before, lines)
  })
  await check('pages completely while another organization is imported', async () => {
    const [outcome, walks] = await walkDuring(importContacts('second.ndjson', 'second'), read)
    assertImported(outcome, ROWS)
    for (const one of walks) assert.deepEqual(one.rows, before.rows)
    say(`        ${walks.length} complete walks meanwhile`)
    const other = await walk(service.origin, `/api/v1/contacts?limit=${PAGE}`, secondKey)
    assertComplete(other, contactLines(ROWS, 2))
  })
  await check('importing again changes nothing, updatedAt included, while others page', async () => {
    const [outcome, walks] = await walkDuring(importContacts('first.ndjson', 'first'), read)
    assertImported(outcome, 0)
    for (const one of [...walks, await read()]) assert.deepEqual(one.rows, before.rows)
    say(`        ${walks.length} complete walks meanwhile`)
  })
  await check('page 1 and page 50 read as many rows', async () => {
    const { requestIds } = await read()
    assert.equal(requestIds.length, ROWS / PAGE)
    for (const id of [requestIds[0], requestIds.at(-1)]) {
      const page = await loggedLine(service, id)
      say(`        rowsRead ${page.rowsRead}, ${page.durationMs} ms`)
      assert(page.rowsRead >= PAGE && page.rowsRead <= PAGE + OVERHEAD_ROWS, `rowsRead ${page.rowsRead}`)
    }
  })
}

/** The line of the log about a request. The service writes it after its answer. */
async function loggedLine(service: StartedService, requestId: string | undefined): Promise<RequestLine> {
  const untilMs = Date.now() + LOGGED_MS
  for (;;) {
    const line = service.requests().find((one) => one.requestId === requestId)
    if (line !== undefined) return line
    assert(Date.now() < untilMs, 'both requests are in the log')
    await delay(20)
  }
}

async function main(): Promise<void> {
  const service = await startService({ port: await freePort(), stateDirectory: state })
  const [firstKey, secondKey] = [await createOrganization('first'), await createOrganization('second')]
  await readWhileImporting(service, firstKey, secondKey)
  const key = await createOrganization('third')
  const read = () => walk(service.origin, `/api/v1/contacts?limit=${PAGE}`, key)
  await check(`a bad line ${BAD_LINE} is named and nothing is written`, async () => {
    const { code, stdout, stderr } = await importContacts('bad.ndjson', 'third')
    assert.notEqual(code, 0)
    assert.equal(stdout, '')
    assert.match(stderr, new RegExp(`:${BAD_LINE}: emailConsent `))
    assert.deepEqual((await read()).rows, [])
  })
  await check('CSV brings the same rows as NDJSON', async () => {
    assertImported(await importContacts('first.csv', 'third'), ROWS)
    const { rows } = await read()
    const { rows: fromNdjson } = await walk(service.origin, `/api/v1/contacts?limit=${PAGE}`, firstKey)
    assert.deepEqual(withoutUpdatedAt(rows), withoutUpdatedAt(fromNdjson))
    assertImported(await importContacts('first.ndjson', 'third'), 0)
  })
  await importLargeFiles({ check, say }, state, service.origin)
  await check('the service ends on Ctrl-C', () => service.stop())
  report()
}

await main()
process.exit()
