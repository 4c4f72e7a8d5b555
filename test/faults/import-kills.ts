/**
 * Imports contacts while 50 requests a second read and submit; then again and again, killed at random points, the client
 * first and then the service. IMPORT_ROWS (default 20,000), IMPORT_KILLS (default 4), LOAD_PER_SECOND (default 50) and
 * KILL_SEED may be given.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../domain/access/secrets.ts'
import { projectRoot } from '../../host-worker/local/root.ts'
import { localSecrets } from '../../host-worker/local/state.ts'
import { createChecks } from '../support/checks.ts'
import { seededRandom } from '../support/fakes.ts'
import { issueAdminKey, operatorCall } from '../support/operator-http.ts'
import { peakMiB, processTree, runtimeProcesses } from '../support/process-tree.ts'
import { freePort, scratchDirectory, signalGroup, startService } from '../support/started-service.ts'
import { startSteadyLoad } from './steady-load.ts'

const rows = Number(process.env.IMPORT_ROWS ?? 20_000)
const kills = Number(process.env.IMPORT_KILLS ?? 4)
const perSecond = Number(process.env.LOAD_PER_SECOND ?? 50)
const draw = seededRandom(Number(process.env.KILL_SEED ?? 20_261_122))

const { check, report, say } = createChecks()
const state = scratchDirectory()
const file = join(scratchDirectory(), 'contacts.ndjson')
await writeContacts(file)
const service = await startService({ port: await freePort(), stateDirectory: state })
const { ROOT_SECRET = '' } = localSecrets(state)
const key = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))
const call = operatorCall(service.origin, key)

/** Contacts in no order, as an export of another system may bring them. */
async function writeContacts(path: string): Promise<void> {
  const stream = createWriteStream(path)
  for (let index = 0; index < rows; index += 1) {
    const scattered = (index * 7_919) % 1_000_003
    const line = {
      contactId: `c-${index}`,
      firstName: 'Ada',
      lastName: `Name ${index}`,
      email: `contact${scattered}@example.com`,
      phone: index % 3 === 0 ? null : `+1212555${String(scattered % 10_000).padStart(4, '0')}`,
      tags: index % 2 === 0 ? ['member'] : [],
      emailConsent: 'subscribed',
      smsConsent: 'unknown',
      createdAt: new Date(Date.UTC(2024, 0, 1) + scattered * 60_000).toISOString(),
    }
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}

interface Client {
  readonly child: ChildProcess
  /** What it printed, once it has ended; empty when it was killed. */
  readonly printed: Promise<string>
}

/** Clients that must not outlive this process. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function startClient(organizationId: string): Client {
  const script = join(projectRoot, 'test', 'faults', 'import-client.ts')
  const child = spawn(process.execPath, [script, service.origin, key, organizationId, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  return { child, printed: once(child, 'close').then(() => text) }
}

interface Ended {
  readonly outcome: { readonly kind: string; readonly read: number; readonly changed: number }
  readonly peakMiB: number
}

async function createOrganization(organizationId: string): Promise<void> {
  const response = await call('POST', `/operator/v1/organizations/${organizationId}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: organizationId }),
  })
  assert.equal(response.status, 201, await response.text())
}

interface SeenImport {
  readonly state: string
  readonly writtenRows: number
}

/** The latest import of an organization, as the interface shows it. */
async function latestImport(organizationId: string): Promise<SeenImport | null> {
  const response = await fetch(`${service.origin}/operator/v1/organizations/${organizationId}/imports`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await response.json()) as { readonly data: readonly SeenImport[] }
  return data[0] ?? null
}

/** The runtime's processes, which the supervisor starts again when they end. */
function runtimeGroups(): readonly number[] {
  const groups = new Set(processTree(service.pid).map(({ groupId }) => groupId))
  groups.delete(service.pid)
  return [...groups]
}

/** The most memory that a process of the runtime has held, in MiB. */
function runtimePeakMiB(): number {
  return Math.max(...runtimeProcesses(service.pid).map(({ pid }) => peakMiB(pid) ?? 0))
}

async function untilServing(): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const isServing = await fetch(`${service.origin}/api/v1/openapi.json`, {
      signal: AbortSignal.timeout(2_000),
    })
      .then(async (response) => (await response.text()) !== '' && response.ok)
      .catch(() => false)
    if (isServing) return
    await pause(100)
  }
  throw new Error(`The service was not started again:\n${service.output()}`)
}

/** How long an import takes here, from which the moments of kills are drawn. */
let importMs = 0

await check(
  `${rows} rows are imported while ${perSecond} requests a second read and submit, none with an error`,
  async () => {
    await createOrganization('undisturbed')
    const load = startSteadyLoad(service.origin, service.demoKey, perSecond)
    const startedAt = performance.now()
    const { outcome, peakMiB } = JSON.parse(await startClient('undisturbed').printed) as Ended
    importMs = performance.now() - startedAt
    const { answered, wrong, broken, durationsMs } = await load.stop()
    assert.deepEqual(outcome, { kind: 'imported', read: rows, changed: rows, unchanged: 0 })
    const at = (share: number) => Math.round(durationsMs[Math.floor(durationsMs.length * share)] ?? 0)
    say(
      `        ${Math.round((rows * 1_000) / importMs)} rows a second; memory of the client ${peakMiB} MiB, of the service ${runtimePeakMiB()} MiB`,
    )
    say(`        ${answered} requests meanwhile: median ${at(0.5)} ms, p99 ${at(0.99)} ms`)
    assert.deepEqual([wrong.slice(0, 3), broken], [[], 0])
  },
)

/** What must hold whenever an import was interrupted: before the decision nothing was written. */
async function assertNothingHalf(organizationId: string): Promise<void> {
  const seen = await latestImport(organizationId)
  say(
    `        ${seen === null ? 'not opened yet' : `${seen.state}, ${seen.writtenRows} of ${rows} rows written`}`,
  )
  if (seen === null || seen.state === 'receiving') assert.equal(seen?.writtenRows ?? 0, 0)
}

/** `npm start` gives up on a process that ends five times within a minute, as it should: kills keep below that. */
const KILLS_A_MINUTE = 3
const killedAt: number[] = []

/** Waits until the runtime may be killed once more. */
async function untilKillable(): Promise<void> {
  const oldest = killedAt.at(-KILLS_A_MINUTE) ?? -Infinity
  await pause(Math.max(oldest + 60_000 - performance.now(), 0))
}

for (let round = 0; round < kills; round += 1) {
  const victim = round < kills / 2 ? 'client' : 'service'
  const organizationId = `killed-${round}`
  const afterMs = Math.round(draw() * importMs)
  await check(
    `killed ${afterMs} ms after its start (the ${victim}), an import is taken up and complete`,
    async () => {
      await createOrganization(organizationId)
      if (victim === 'service') await untilKillable()
      let client = startClient(organizationId)
      await pause(afterMs)
      if (victim === 'client') {
        client.child.kill('SIGKILL')
        await client.printed
        await assertNothingHalf(organizationId)
        client = startClient(organizationId)
      } else {
        for (const group of runtimeGroups()) signalGroup(group, 'SIGKILL')
        killedAt.push(performance.now())
        await untilServing()
        await assertNothingHalf(organizationId)
      }
      const { outcome } = JSON.parse(await client.printed) as Ended
      assert.equal(outcome.kind, 'imported')
      assert.equal(outcome.read, rows)
      const { outcome: again } = JSON.parse(await startClient(organizationId).printed) as Ended
      assert.deepEqual(again, { kind: 'imported', read: rows, changed: 0, unchanged: rows })
    },
  )
}

await check('the service ends on Ctrl-C', () => service.stop())
report()
process.exit()
