import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { membersOf, parsedOr } from '../../domain/text/encoding.ts'
import { SITE_PATH } from '../local/local-endpoints.ts'
import { projectRoot } from '../local/project.ts'
import {
  isPortFree,
  holdState,
  stateHolder,
  type HeldState,
  openPrivateState,
  readStateRecord,
  stateDirectory,
  type StateRecord,
} from '../local/state.ts'
import { findUnannounced } from '../operator/client/open-service.ts'
import { demoForms, demoOrganizations } from './demo/index.ts'

const DEFAULT_PORT = 8787
const PARENT_CHECK_MS = 1_000
/** A program that ends this often within the window is not restarted, because another start would not help. */
const CRASHES_MAX = 5
const CRASH_WINDOW_MS = 60_000
const RESTART_PAUSE_MS = 500
const POLL_MS = 100

const stopping = new AbortController()
const parent = process.ppid

function stop(): void {
  stopping.abort()
}

async function main(): Promise<void> {
  const [given] = process.argv.slice(2)
  if (given !== undefined)
    throw new Error(
      `npm start takes no ${given}. Variables set the port and the folder of its state: PORT=${DEFAULT_PORT + 1} STATE_DIR=… npm start`,
    )
  const port = portOf(process.env.PORT)
  const directory = stateDirectory(projectRoot)
  openPrivateState(directory)
  const held = await holdForService(directory, `http://127.0.0.1:${port}`)
  if (held === null) return
  try {
    await held.predecessorEnded()
    await serve(port, directory, held)
  } finally {
    held.release()
  }
}

async function serve(port: number, directory: string, held: HeldState): Promise<void> {
  const url = `http://127.0.0.1:${port}`
  const other = await findUnannounced(directory)
  if (other !== null) throw new Error(inUse(directory, 'runs', other))
  let announce = (): void => {
    held.announce()
    const record = readStateRecord(directory)
    if (record !== null) process.stdout.write(greeting(url, record))
    announce = () => undefined
  }
  await supervise('The service', async () => {
    // Asked before each run, because another program may take the port while this one builds the Worker.
    if (!(await isPortFree(port))) {
      throw new Error(
        `Port ${port} is in use. End what uses it, or set PORT to another: PORT=${port + 1} npm start`,
      )
    }
    await runService(directory, port, () => {
      announce()
    })
  })
}

/**
 * Holds the state directory for the service at this URL, once no command runs a service of its own there. Throws when
 * another start serves there, or is about to. Null: this one was stopped meanwhile.
 */
async function holdForService(directory: string, url: string): Promise<HeldState | null> {
  for (let tries = 0; !isStopping(); tries += 1) {
    const held = holdState(directory, url)
    if (held !== null) return held
    // Whoever holds the directory says so a moment after taking it.
    await pause(POLL_MS)
    const holder = stateHolder(directory)
    if (holder !== null && holder.url !== null) {
      throw new Error(inUse(directory, holder.isServing ? 'runs' : 'is starting', holder.url))
    }
    if (holder !== null && tries === 0)
      process.stderr.write(`Waiting for a command that uses ${directory}…\n`)
  }
  return null
}

function inUse(directory: string, state: 'runs' | 'is starting', url: string): string {
  return `The service of ${directory} ${state} at ${url}: use that one, end it, or set STATE_DIR to another directory.`
}

/** Runs a program until it is stopped. When it ends by itself, it is restarted a limited number of times. */
async function supervise(name: string, runOnce: () => Promise<void>): Promise<void> {
  let recentEnds: readonly number[] = []
  while (!isStopping()) {
    await runOnce()
    if (isStopping()) return
    const now = Date.now()
    recentEnds = [...recentEnds.filter((at) => at > now - CRASH_WINDOW_MS), now]
    if (recentEnds.length >= CRASHES_MAX) {
      throw new Error(`${name} ended ${CRASHES_MAX} times within a minute. Its last words are above.`)
    }
    process.stderr.write(`${name} ended unexpectedly and is started again.\n`)
    await pause(RESTART_PAUSE_MS)
  }
}

function isStopping(): boolean {
  return stopping.signal.aborted
}

/** Runs the service until it ends or is stopped. Afterwards none of its processes are left. */
async function runService(directory: string, port: number, onServing: () => void): Promise<void> {
  const service = startSupervised([join(import.meta.dirname, 'serve.ts'), directory, String(port)])
  const run = new AbortController()
  const signal = AbortSignal.any([stopping.signal, run.signal])
  const serving = waitUntilServing(`http://127.0.0.1:${port}/health`, signal)
  void serving.then((isServing) => {
    if (isServing) onServing()
  }, stop)
  await Promise.race([service.ended, aborted(stopping.signal)])
  run.abort()
  await service.stop()
  await serving
}

/** A running program with all processes that it starts, in their own process group. */
interface Supervised {
  /** Resolves when the whole group has ended. */
  readonly ended: Promise<void>
  /** Ends the group. Resolves like `ended`. */
  stop(): Promise<void>
}

/** Runs a program on the project's own Node such that none of its processes outlives this one. */
function startSupervised(args: readonly string[]): Supervised {
  const supervisor = join(import.meta.dirname, 'supervised.mjs')
  const child = spawn(process.execPath, [supervisor, process.execPath, ...args], {
    cwd: projectRoot,
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit').then(() => {
    killRest(child)
  })
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { ended, stop }
}

/**
 * Kills what is left of a process group. The leader kills its group when it ends, so processes are left only when the
 * leader itself was killed.
 */
function killRest(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has no more processes.
  }
}

/** Waits until the URL answers. False: the signal came first. Throws the sentence by which the service refuses to serve. */
async function waitUntilServing(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const answer = await fetch(url, { signal }).catch(() => null)
    const text = await answer?.text().catch(() => null)
    if (answer?.ok === true) return true
    if (answer?.status === 503) throw new Error(String(membersOf(parsedOr(text ?? '', null)).error))
    await pause(POLL_MS)
  }
  return false
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true })
  })
}

const Port = v.pipe(v.string(), v.digits(), v.transform(Number), v.minValue(1), v.maxValue(65_535))

/** The port in `PORT`, else 8787. Throws when the text is not a port number. */
function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT
  const port = v.safeParse(Port, text)
  if (port.success) return port.output
  throw new Error(`PORT must be a whole number from 1 to 65535, not ${JSON.stringify(text)}.`)
}

function greeting(url: string, { operatorKey, demoKeys }: StateRecord): string {
  const forms = demoForms()
  const [plain = '', ...others] = forms.map(({ formId }) => formId)
  const locked = forms.find(({ password }) => password !== undefined)
  const [demo, ...pos] = demoOrganizations.map(({ organization, place }) => {
    return { organization, place, key: demoKeys.get(organization.organizationId) ?? '' }
  })
  const { organizationId = '', name = '' } = demo?.organization ?? {}
  const key = demo?.key ?? ''
  const submission = `${url}/api/forms/${plain}/submissions`
  return [
    '',
    `Serving at ${url}`,
    '',
    `  Start page          ${url}/    and the reference: ${url}/docs`,
    `  Console             ${url}/console#${operatorKey ?? ''}    signs you in, as the operator`,
    `  Demo organization   ${organizationId} (${name})`,
    `  Demo tenant key     ${key}`,
    `  Demo form           ${plain}    ${submission}`,
    `  Mailbox             ${url}/mailbox    what would have been sent`,
    `  Demo web site       ${url.replace('127.0.0.1', 'localhost')}${SITE_PATH}    forms to fill in, as on a tenant's own site`,
    ...pos.map(
      ({ organization: { organizationId: tenantId, posSource }, place, key: posKey }) =>
        `  Point of sale       ${posKey}    ${tenantId} (${posSource?.kind ?? ''}${place === 'own' ? ', in a database of its own' : ''})`,
    ),
    `  Further forms       ${others.join(', ')} (password of ${locked?.formId ?? ''}: ${locked?.password ?? ''})`,
    '',
    'Try:',
    `  curl -H 'Authorization: Bearer ${key}' '${url}/api/v1/contacts?limit=2'`,
    `  curl -H 'Content-Type: application/json' -d '{"_gotcha":"","firstName":"Ada","email":"ada@example.com","message":"Hello"}' ${submission}`,
    `  curl -H 'Authorization: Bearer ${pos.at(-1)?.key ?? ''}' '${url}/api/v1/pos/transactions?limit=2'`,
    `  curl ${url}/api/v1/openapi.json`,
    '  npm run -s operator -- help',
    '',
    'Ctrl-C ends it.',
    '',
  ].join('\n')
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
// The parent process waits for this one. When the parent has ended, the service is no longer needed.
setInterval(() => {
  if (process.ppid !== parent) stop()
}, PARENT_CHECK_MS).unref()

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
process.exit()
