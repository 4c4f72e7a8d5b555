/**
 * Sends hostile requests to the service as `npm start` runs it. `HOSTILE_REQUESTS` is their number. They are drawn from
 * `HOSTILE_SEED`: the same seed makes the same requests in the same order.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DROPPED_MAX_BYTES } from '../../../domain/limits/body.ts'
import { proveRootSecret } from '../../../domain/access/operator-credentials.ts'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import { openClient, runRaw, type Ending } from '../../hostile/client.ts'
import { createHostileDraw } from '../../hostile/draw.ts'
import { rawAttacks } from '../../hostile/raw-attacks.ts'
import { hostileRequest, type HostileRequest, type Loot, type Target } from '../../hostile/requests.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { isolateHeap, type IsolateHeap } from '../../support/services/isolate-heap.ts'
import { runtimeProcesses } from '../../support/services/process-tree.ts'
import {
  freePort,
  operateOrThrow,
  scratchDirectory,
  startService,
} from '../../support/services/started-service.ts'

const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 6_000)
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000)
const CONNECTIONS = 16
/** The requests are sent in this many parts, and the memory is measured after each. */
const PARTS = 10
/** What the Worker keeps when its garbage was collected may take a quarter of the 128 MiB that the platform gives it. */
const HEAP_MAX_MIB = 32
/** How much more it may keep after the second half of the requests than after the first: caches that fill. */
const HEAP_GROWTH_MAX_MIB = 2
/** With more requests than these, the counts so far are printed after each part. */
const LONG_RUN_REQUESTS = 100_000

const { check, report, say } = createChecks()
const port = await freePort()
const state = scratchDirectory()
// The memory of the isolate is measured through the runtime's debugger, which a start serves only when asked to.
process.env.INSPECTOR = '1'
const service = await startService({ port, stateDirectory: state })
const platformKey = await operateOrThrow(state, 'key', 'issue', '--platform')
const operatorKey = await firstOperatorKey()
const targets = await readTargets()
const loot: Loot = {
  keys: [service.demoKey, service.demoKey, operatorKey, platformKey],
  cursors: await readCursors(),
  formIds: ['demo-contact', 'demo-contact', 'demo-damage-claim', 'demo-members'],
}
const draw = createHostileDraw(SEED)
say(`        ${REQUESTS} requests from seed ${SEED}`)

const statuses = new Map<string, number>()
const bad: string[] = []

const raw = rawAttacks(draw)
const rawEndings = Promise.all(raw.map(async (attack) => [attack, await runRaw(port, attack)] as const))
const memoryMiB: number[] = []
const heaps: IsolateHeap[] = []
for (let part = 0; part < PARTS; part += 1) {
  await flood(Math.ceil(REQUESTS / PARTS))
  heaps.push(await isolateHeap(service))
  memoryMiB.push(runtimeMemoryMiB())
  if (REQUESTS >= LONG_RUN_REQUESTS) say(`        ${part + 1} of ${PARTS} parts: ${counted()}`)
}

await check('each request is answered by the service, with no 500', () => {
  say(`        ${counted()}`)
  assert.deepEqual(bad, [])
})
await check(`each of ${raw.length} attacks on the connection ends as it should`, async () => {
  for (const [{ name, excused }, ending] of await rawEndings) {
    if (ending.kind === 'status') {
      assert.ok(ending.status < 500, `${name}: ${describe(ending)}`)
      continue
    }
    say(`        not answered by the service: ${name}: ${describe(ending)}`)
    const kind = ending.kind === 'foreign' ? String(ending.status) : ending.kind
    assert.ok(excused.includes(kind), `${name}: ${describe(ending)}`)
  }
})
await check('the log has no failed request', () => {
  const failed = service
    .output()
    .split('\n')
    .filter((line) => /"event":"(?:request_failed|background_failed)"/.test(line))
  assert.deepEqual(failed.slice(0, 5), [])
})
const heapMiB = heaps.map(({ objectsMiB, buffersMiB }) => objectsMiB + buffersMiB)
say(
  `        heap of the Worker after each part, in MiB: ${heapMiB.map((size) => size.toFixed(1)).join(', ')}`,
)
await check('the heap of the Worker stays small and does not grow', () => {
  const half = heapMiB[PARTS / 2 - 1] ?? 0
  const end = heapMiB.at(-1) ?? Infinity
  assert.ok(end < HEAP_MAX_MIB, `it has ${end.toFixed(1)} MiB`)
  assert.ok(end < half + HEAP_GROWTH_MAX_MIB, `it grew from ${half.toFixed(1)} to ${end.toFixed(1)} MiB`)
})
// The local runtime has gigabytes and collects the garbage of its own parts, such as wrangler's proxy and the simulation
// of D1, when it likes. So its resident memory says nothing about the Worker, and is only printed.
say(`        resident memory of the runtime after each part, in MiB: ${memoryMiB.map(Math.round).join(', ')}`)
await check('the service still answers as before', async () => {
  const response = await fetch(`${service.origin}/api/v1/contacts?limit=1`, {
    headers: { authorization: `Bearer ${service.demoKey}` },
  })
  assert.equal(response.status, 200)
})
await service.stop()
report()
process.exit()

/** How often each kind of ending occurred so far. */
function counted(): string {
  const kinds = [...statuses].sort(([left], [right]) => (left < right ? -1 : 1))
  return kinds.map(([kind, count]) => `${kind}: ${count}`).join(', ')
}

/** Sends this many requests, a few at once. */
async function flood(count: number): Promise<void> {
  const client = openClient(service.origin, CONNECTIONS)
  let sent = 0
  const sender = async () => {
    while (sent < count) {
      sent += 1
      const hostile = hostileRequest(draw, targets, loot)
      note(hostile, await client.send(hostile))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sender))
  client.close()
}

function note({ method, path, headers, body }: HostileRequest, ending: Ending): void {
  const kind = excuseOf(ending, body) ?? describe(ending)
  statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
  const isBad = ending.kind !== 'status' || ending.status >= 500
  if (!isBad || kind !== describe(ending) || bad.length >= 10) return
  const shown = { ...headers, authorization: headers.authorization === undefined ? 'none' : 'a key' }
  bad.push(
    `${kind}: ${method} ${path.slice(0, 300)} ${JSON.stringify(shown)} ${body?.toString('latin1').slice(0, 300) ?? ''}`,
  )
}

/**
 * Why a request need not be answered by the service; null: there is no excuse. The service drops a body that it does
 * not want only up to a bound. Beyond that the local runtime ends the connection, or answers that it was lost.
 */
function excuseOf(ending: Ending, body: Buffer | null): string | null {
  if (body === null || body.length <= DROPPED_MAX_BYTES) return null
  if (ending.kind === 'closed') return 'closed in a body beyond the bound'
  return ending.kind === 'foreign' && ending.text.includes('Network connection lost')
    ? 'lost in a body beyond the bound'
    : null
}

function describe(ending: Ending): string {
  switch (ending.kind) {
    case 'status':
      return String(ending.status)
    case 'foreign':
      return `${ending.status} of the runtime (${ending.text.split('\n')[0] ?? ''})`
    case 'closed':
      return `closed (${ending.reason})`
    case 'hung':
      return 'hung'
  }
}

/** Resident memory of every workerd process of the service. */
function runtimeMemoryMiB(): number {
  const runtimes = runtimeProcesses(service.pid)
  assert.ok(runtimes.length > 0, 'no runtime was found')
  const kibOf = (pid: number) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  return runtimes.reduce((sum, { pid }) => sum + kibOf(pid), 0) / 1024
}

/** An operator key with every right, so that requests reach operations and are not all refused for their key. */
async function firstOperatorKey(): Promise<string> {
  const root = readStateRecord(state)?.rootSecret ?? ''
  const { current } = await openSecrets(root, null)
  const body = JSON.stringify({ operator: 'hostile', role: 'admin' })
  const authorization = await proveRootSecret(
    current,
    { host: new URL(service.origin).host, body: utf8(body) },
    Date.now(),
  )
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await fetch(`${service.origin}/operator/v1/operator-keys`, {
    method: 'POST',
    headers,
    body,
  })
  assert.equal(response.status, 201)
  return ((await response.json()) as { readonly key: string }).key
}

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly parameters?: readonly { name: string; in: string }[] }>>>
>

/**
 * The operations of both contract documents. Those with a body occur several times, because more can go wrong in them.
 */
async function readTargets(): Promise<readonly [Target, ...Target[]]> {
  const [first, ...others] = [
    ...(await targetsOf('/api/v1/openapi.json', 12)),
    ...(await targetsOf('/operator/v1/openapi.json', 2)),
  ]
  assert.ok(first !== undefined, 'the documents have no operations')
  return [first, ...others]
}

/** @param postWeight how much more often a request with a body is made than any other */
async function targetsOf(document: string, postWeight: number): Promise<readonly Target[]> {
  const response = await fetch(service.origin + document)
  const { paths } = (await response.json()) as { readonly paths: Paths }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
      const target: Target = { method: method.toUpperCase(), path, query }
      return method === 'post' ? Array.from({ length: postWeight }, () => target) : [target]
    }),
  )
}

async function readCursors(): Promise<readonly [string, ...string[]]> {
  const cursors = await Promise.all(
    ['contacts', 'purchases', 'links?sortBy=clicks', 'vouchers'].map(async (path) => {
      const response = await fetch(
        `${service.origin}/api/v1/${path}${path.includes('?') ? '&' : '?'}limit=1`,
        {
          headers: { authorization: `Bearer ${service.demoKey}` },
        },
      )
      const { pagination } = (await response.json()) as {
        readonly pagination: { readonly nextCursor: string | null }
      }
      return pagination.nextCursor ?? ''
    }),
  )
  const [first = '', ...others] = cursors.filter((cursor) => cursor !== '')
  assert.ok(first !== '', 'the demo has no second page')
  return [first, ...others]
}
