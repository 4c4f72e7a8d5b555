import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClickHouseExitSurvey } from '../../../adapters/exit-survey-clickhouse/index.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import type { ExitSurveySource } from '../../../ports/sources.ts'
import { exitSurveySuite, type SurveyEvent } from '../../../adapters/conformance/analytics.ts'
import { chanceOf, generatedBounds, generatedData } from '../../support/data/analytics/analytics-data.ts'
import { referenceSurvey } from '../../support/data/analytics/analytics-reference.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { CLICKHOUSE_PASSWORD, CLICKHOUSE_USER } from '../../support/providers/clickhouse.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

const { check, report, say } = createChecks()
const everything = { start: null, end: null }
const schema = readFileSync(
  join(import.meta.dirname, '../../../adapters/exit-survey-clickhouse/schema.sql'),
  'utf8',
)

interface Server {
  readonly url: string
  readonly process: ChildProcess
  /** Runs a statement as an administrator would. */
  run(statement: string): Promise<string>
}

async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'clickhouse-front.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { value: port } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  const url = `http://127.0.0.1:${String(port)}`
  const run = async (statement: string) => {
    const response = await fetch(url, { method: 'POST', body: statement })
    const text = await response.text()
    if (response.status !== 200) throw new Error(text)
    return text
  }
  return { url, process: child, run }
}

function source({ url }: Server, table = 'exit_survey_events') {
  const account = { user: CLICKHOUSE_USER, password: CLICKHOUSE_PASSWORD }
  return createClickHouseExitSurvey({
    ...account,
    baseUrl: url,
    database: 'default',
    table,
    fetch,
  })
}

async function deliver(
  server: Server,
  organizationId: string,
  events: readonly SurveyEvent[],
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ eventId, reasonCode, occurredAt }) =>
    JSON.stringify({
      organization_id: organizationId,
      event_id: eventId,
      reason_code: reasonCode,
      occurred_at: occurredAt.replace('T', ' ').replace('Z', ''),
    }),
  )
  await server.run(
    `INSERT INTO default.exit_survey_events (organization_id, event_id, reason_code, occurred_at) FORMAT JSONEachRow ${rows.join('\n')}`,
  )
}

/** A service with one organization, whose survey source is the given one. */
async function openService(exitSurvey: ExitSurveySource) {
  const service = await openTestService((clock) => ({ ...createScratchStorage({ clock }), exitSurvey }))
  const key = await service.addOrganization('org-a')
  return {
    service,
    ask: async (query = ''): Promise<unknown> => {
      const response = await service.send(`/api/v1/cancellation-survey?${query}`, { key })
      assert.equal(response.status, 200)
      return response.json()
    },
  }
}

// Keeps this process alive: timers of deadlines do not, and neither does a server that was killed.
const staysAlive = setInterval(() => undefined, 60_000)
const server = await startServer()
say(`ClickHouse ${(await server.run('SELECT version()')).trim()}`)
const [createTable = '', ...grants] = schema
  .replaceAll(/^--.*$/gm, '')
  .split(';')
  .map((statement) => statement.trim())
  .filter((statement) => statement !== '')

await check('the schema makes the table, and its other statements are understood', async () => {
  await server.run(createTable)
  assert.equal(grants.length, 2)
  // The embedded engine has no users, so the grants are only parsed.
  for (const statement of grants) await server.run(`EXPLAIN AST ${statement}`)
})

for (const one of exitSurveySuite) {
  await check(one.name, () =>
    one.run(async () => {
      await server.run('TRUNCATE TABLE default.exit_survey_events')
      return { source: source(server), deliver: (id, events) => deliver(server, id, events) }
    }),
  )
}

await check('the endpoint answers as the reference does, on 20 data sets', async () => {
  const { ask } = await openService(source(server))
  for (let seed = 1; seed <= 20; seed += 1) {
    const chance = chanceOf(seed)
    const data = generatedData(chance, chance.pick([0, 1, 20, 80]))
    await server.run('TRUNCATE TABLE default.exit_survey_events')
    await deliver(server, 'org-a', data.surveyEvents)
    await deliver(server, 'org-b', data.surveyEvents)
    for (const query of [
      {},
      generatedBounds(chance, 'start', 'end'),
      generatedBounds(chance, 'start', 'end'),
    ]) {
      const expected = referenceSurvey('org-a', data, query)
      assert.deepEqual(await ask(new URLSearchParams(query).toString()), expected, JSON.stringify(query))
    }
  }
})

await check('a million events are counted within the time of one try', async () => {
  await server.run(`INSERT INTO default.exit_survey_events (organization_id, event_id, reason_code, occurred_at)
    SELECT if(number % 2 = 0, 'org-a', 'org-b'), toString(number), concat('code', toString(number % 7)),
      toDateTime64('2023-01-01 00:00:00', 3, 'UTC') + number * 60 FROM numbers(1000000)`)
  const startedAt = performance.now()
  const answer = await source(server).open('org-a').countReasons(everything, AbortSignal.timeout(4_000))
  assert(answer.kind === 'counts')
  say(`        ${Math.round(performance.now() - startedAt)} ms`)
  assert(
    answer.counts.filter(({ code }) => code.startsWith('code')).reduce((sum, { count }) => sum + count, 0) ===
      500_000,
  )
})

await check('the question needs no right to write', async () => {
  await server.run('SET readonly = 1')
  await assert.rejects(() => server.run('TRUNCATE TABLE default.exit_survey_events'), /readonly/)
  const answer = await source(server).open('org-a').countReasons(everything, AbortSignal.timeout(4_000))
  assert.equal(answer.kind, 'counts')
})

const unavailable = {
  organizationId: 'org-a',
  dateRange: everything,
  source: 'exit_survey',
  available: false,
  totals: { selections: 0 },
  reasons: [],
  other: null,
}

await check('a table that is missing: 200, available: false, and one log line of an error', async () => {
  const { ask, service } = await openService(source(server, 'missing'))
  assert.deepEqual(await ask(), unavailable)
  assert.deepEqual(errorEvents(service), ['exit_survey_unavailable'])
})

await check('a server that stands still is given up in bounded time: 200, available: false', async () => {
  const { ask, service } = await openService(source(server))
  server.process.kill('SIGSTOP')
  assert.deepEqual(await ask(), unavailable)
  server.process.kill('SIGCONT')
  assert.deepEqual(errorEvents(service), ['exit_survey_unavailable'])
})

await check('a server killed in mid-query: 200, available: false', async () => {
  const { ask } = await openService(source(server))
  // The server is stopped first, so that the question is in progress when it is killed.
  server.process.kill('SIGSTOP')
  const asked = ask()
  await new Promise((resume) => setTimeout(resume, 300))
  server.process.kill('SIGKILL')
  assert.deepEqual(await asked, unavailable)
})

server.process.kill('SIGKILL')
clearInterval(staysAlive)
report()

/** The events that the service logged as errors. */
function errorEvents({ logLines }: Pick<TestService, 'logLines'>): readonly unknown[] {
  return logLines
    .map((line) => JSON.parse(line) as { readonly level: string; readonly event: string })
    .filter(({ level }) => level === 'error')
    .map(({ event }) => event)
}
