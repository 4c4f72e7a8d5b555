import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import { issueAdminKey, operatorCall } from '../../support/services/operator/operator-http.ts'
import { processTree } from '../../support/services/process-tree.ts'
import {
  freePort,
  scratchDirectory,
  signalGroup,
  startService,
  type StartedService,
} from '../../support/services/started-service.ts'
import type { SeenImport } from './import-moments.ts'

/** The outcome of an import, as its client reports it. */
export interface Ended {
  readonly outcome: { readonly kind: string; readonly read: number; readonly changed: number }
  /** The most memory that the client used, in MiB. */
  readonly peakMiB: number
}

/** A process that imports a file. */
export interface ImportClient {
  /** Kills the process; settles when it is gone. */
  kill(): Promise<void>
  /** The outcome. Rejects when the process was killed or ended without an outcome. */
  ended(): Promise<Ended>
}

/** A service as `npm start` runs it, into which tests import files. */
export interface ImportedService extends StartedService {
  readonly stateDirectory: string
  /** Creates an organization without a parent, with a key. */
  createOrganization(organizationId: string): Promise<void>
  /** The status of a read with the key of an organization that was created. */
  statusOf(organizationId: string): Promise<number>
  /** The imports of an organization, the latest first. */
  imports(organizationId: string): Promise<readonly SeenImport[]>
  /** The latest import; null: there is none. */
  latestImport(organizationId: string): Promise<SeenImport | null>
  /** Whether a read with the organization's own key finds any contact. */
  hasContacts(organizationId: string): Promise<boolean>
  startClient(organizationId: string, path: string): ImportClient
  /** Waits until another kill does not exceed the number of kills that `npm start` tolerates. */
  untilKillable(): Promise<void>
  /** Kills the processes of the runtime, and waits until the service has been restarted. */
  killRuntime(): Promise<void>
}

/**
 * `npm start` rightly gives up on a process that ends five times within a minute, so tests kill less often than that.
 */
const KILLS_A_MINUTE = 3

/** The clients in progress, which must not outlive this process. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function startImportedService(): Promise<ImportedService> {
  const stateDirectory = scratchDirectory()
  const service = await startService({ port: await freePort(), stateDirectory })
  const { origin } = service
  const ROOT_SECRET = readStateRecord(stateDirectory)?.rootSecret ?? ''
  const key = await issueAdminKey(origin, await openSecrets(ROOT_SECRET, null))
  const call = operatorCall(origin, key)
  const of = (organizationId: string) => `/operator/v1/organizations/${organizationId}`
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const response = await call('POST', path, { headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert(response.ok, text)
    return JSON.parse(text)
  }
  const tenantKeys = new Map<string, string>()
  const read = async (path: string, bearer: string): Promise<readonly unknown[]> => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${bearer}` } })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return (JSON.parse(text) as { readonly data: readonly unknown[] }).data
  }
  const imports = async (organizationId: string) =>
    (await read(`${of(organizationId)}/imports`, key)) as readonly SeenImport[]
  const killedAt: number[] = []
  return {
    ...service,
    stateDirectory,
    async createOrganization(organizationId) {
      await post(of(organizationId), { name: organizationId })
      const issued = (await post(`${of(organizationId)}/keys`, {})) as { readonly key: string }
      tenantKeys.set(organizationId, issued.key)
    },
    async statusOf(organizationId) {
      const headers = { authorization: `Bearer ${tenantKeys.get(organizationId) ?? ''}` }
      const response = await fetch(`${origin}/api/v1/contacts?limit=1`, { headers })
      await response.text()
      return response.status
    },
    imports,
    latestImport: async (organizationId) => (await imports(organizationId))[0] ?? null,
    hasContacts: async (organizationId) =>
      (await read('/api/v1/contacts?limit=1', tenantKeys.get(organizationId) ?? '')).length > 0,
    startClient: (organizationId, path) => startClient([origin, key, organizationId, path]),
    async untilKillable() {
      const oldest = killedAt.at(-KILLS_A_MINUTE) ?? -Infinity
      await pause(Math.max(oldest + 60_000 - performance.now(), 0))
    },
    async killRuntime() {
      const groups = new Set(processTree(service.pid).map(({ groupId }) => groupId))
      groups.delete(service.pid)
      for (const group of groups) signalGroup(group, 'SIGKILL')
      killedAt.push(performance.now())
      await untilServing(service)
    },
  }
}

function startClient(given: readonly string[]): ImportClient {
  const script = join(projectRoot, 'test', 'faults', 'imports', 'import-client.ts')
  const child = spawn(process.execPath, [script, ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  const closed = once(child, 'close').then(() => running.delete(child))
  return {
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async ended() {
      await closed
      if (text === '') throw new Error('The client ended without an outcome')
      return JSON.parse(text) as Ended
    },
  }
}

async function untilServing(service: StartedService): Promise<void> {
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
