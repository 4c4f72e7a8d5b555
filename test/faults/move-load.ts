/**
 * Moves an organization into a database of its own and back while it is read and submitted to. MOVE_ROWS (default 5,000
 * contacts) and LOAD_PER_SECOND (default 50) may be given.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../domain/access/secrets.ts'
import { projectRoot } from '../../host-worker/local/root.ts'
import { localSecrets } from '../../host-worker/local/state.ts'
import { createChecks } from '../support/checks.ts'
import { issueAdminKey, operatorCall } from '../support/operator-http.ts'
import { freePort, scratchDirectory, startService } from '../support/started-service.ts'
import type { ApiRow } from '../support/walk.ts'
import { walk } from '../support/walk.ts'
import { startSteadyLoad } from './steady-load.ts'

const rows = Number(process.env.MOVE_ROWS ?? 5_000)
const perSecond = Number(process.env.LOAD_PER_SECOND ?? 50)

/** The organization of the demo form, which the load submits. */
const ORGANIZATION = 'demo'

const { check, report, say } = createChecks()
const state = scratchDirectory()
const service = await startService({ port: await freePort(), stateDirectory: state })
const { ROOT_SECRET = '' } = localSecrets(state)
const key = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))
const call = operatorCall(service.origin, key)

async function importContacts(): Promise<void> {
  const file = join(scratchDirectory(), 'contacts.ndjson')
  const stream = createWriteStream(file)
  for (let index = 0; index < rows; index += 1) {
    const createdAt = new Date(Date.UTC(2024, 0, 1) + index * 1_000).toISOString()
    const line = {
      contactId: `c-${index}`,
      firstName: 'Ada',
      email: `contact${index}@example.com`,
      createdAt,
    }
    const sent = { ...line, tags: [], emailConsent: 'unknown', smsConsent: 'unknown' }
    if (!stream.write(`${JSON.stringify(sent)}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
  const script = join(projectRoot, 'test', 'faults', 'import-client.ts')
  const given = [script, service.origin, key, ORGANIZATION, file]
  const [code] = (await once(
    spawn(process.execPath, given, { stdio: ['ignore', 'ignore', 'inherit'] }),
    'close',
  )) as [number]
  assert.equal(code, 0)
}

interface ShownMove {
  readonly moveId: string
  readonly phase: string
  readonly copiedRows: number
  readonly pausedMs: number | null
  readonly endedAt: string | null
}

/** Begins a move and looks at it until it has ended. */
async function move(place: 'own' | 'shared'): Promise<ShownMove> {
  const begun = await call('POST', `/operator/v1/organizations/${ORGANIZATION}/move`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ place }),
  })
  assert.equal(begun.status, 200)
  let shown = ((await begun.json()) as { readonly move: ShownMove }).move
  while (shown.endedAt === null) {
    await pause(250)
    const { moveId } = shown
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${service.origin}/operator/v1/moves/${moveId}`, { headers })
    assert.equal(response.status, 200)
    shown = (await response.json()) as ShownMove
  }
  return shown
}

/** A copy of the contacts, kept as a client keeps one: by what changed since it last asked. */
async function startSync(): Promise<{ stop(): Promise<ReadonlyMap<string, string>> }> {
  const copy = new Map<string, string>()
  const last = { at: '' }
  const take = (found: readonly ApiRow[]) => {
    for (const { contactId, updatedAt } of found) {
      copy.set(String(contactId), String(updatedAt))
      if (String(updatedAt) > last.at) last.at = String(updatedAt)
    }
  }
  const one = async () => {
    const after = last.at === '' ? '' : `&updatedAfter=${encodeURIComponent(last.at)}`
    take((await walk(service.origin, `/api/v1/contacts?limit=500${after}`, service.demoKey)).rows)
  }
  await one()
  const state = { isStopping: false }
  const running = (async () => {
    while (!state.isStopping) {
      await one()
      await pause(100)
    }
    await one()
  })()
  return {
    async stop() {
      state.isStopping = true
      await running
      return copy
    },
  }
}

await importContacts()
for (const place of ['own', 'shared'] as const) {
  await check(
    `moves to ${place} while ${perSecond} requests a second read and submit: none fails, nothing is lost`,
    async () => {
      const load = startSteadyLoad(service.origin, service.demoKey, perSecond)
      const sync = await startSync()
      await pause(1_000)
      const startedAt = performance.now()
      const { phase, copiedRows, pausedMs } = await move(place)
      const seconds = (performance.now() - startedAt) / 1_000
      await pause(1_000)
      const { answered, wrong, broken, submissionIds, durationsMs } = await load.stop()
      const copy = await sync.stop()
      const at = (share: number) => Math.round(durationsMs[Math.floor(durationsMs.length * share)] ?? 0)
      say(
        `        ${copiedRows} rows in ${seconds.toFixed(1)} s; writes were paused for ${String(pausedMs)} ms`,
      )
      say(
        `        ${answered} requests meanwhile: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1 - 1e-9)} ms`,
      )
      assert.equal(phase, 'done')
      assert.deepEqual([wrong.slice(0, 3), broken], [[], 0])
      const stored = await walk(service.origin, '/api/v1/forms/submissions?limit=500', service.demoKey)
      const ids = stored.rows.map(({ submissionId }) => submissionId)
      assert.equal(new Set(ids).size, ids.length)
      const held = new Set(ids)
      assert.deepEqual(
        submissionIds.filter((submissionId) => !held.has(submissionId)),
        [],
      )
      const contacts = await walk(service.origin, '/api/v1/contacts?limit=500', service.demoKey)
      assert.deepEqual(
        copy,
        new Map(contacts.rows.map(({ contactId, updatedAt }) => [String(contactId), String(updatedAt)])),
      )
    },
  )
}
await check('the service ends on Ctrl-C', () => service.stop())
report()
process.exit()
