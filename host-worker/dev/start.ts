import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { demoForms } from './demo/index.ts'
import { keepCronFiring } from './cron.ts'
import { startLocalGateway } from './gateway.ts'
import { prepareLocalGateway } from '../local/pos-sources.ts'
import type { DemoKey } from './prepare.ts'
import { prepareState } from './prepare.ts'
import { portNear, waitUntilServing } from './readiness.ts'
import { projectRoot } from '../local/root.ts'
import type { ServiceOptions } from './service.ts'
import { startService } from './service.ts'
import { startDemoSite } from './site/server.ts'
import { isPortFree } from '../local/free-port.ts'
import type { HeldState } from '../local/service-file.ts'
import { holdState, stateHolder } from '../local/service-file.ts'
import { openPrivateState, readLocalOperatorKey, stateDirectory } from '../local/state.ts'
import type { Supervised } from './supervised-process.ts'

const DEFAULT_PORT = 8787
const PARENT_CHECK_MS = 1_000
/**
 * The distance of the demo site's port from the service's. It is large, because a second copy of the service is likely
 * to use the next port.
 */
const DEMO_SITE_OFFSET = 1_000
const GATEWAY_OFFSET = 2_000

/** A program that ends this often within the window is not restarted, because another start would not help. */
const CRASHES_MAX = 5
const CRASH_WINDOW_MS = 60_000
const RESTART_PAUSE_MS = 500
const HOLD_POLL_MS = 100

const stopping = new AbortController()
const parent = process.ppid

function stop(): void {
  stopping.abort()
}

const Port = v.pipe(v.string(), v.digits(), v.transform(Number), v.minValue(1), v.maxValue(65_535))

/** The port in `PORT`, else 8787. Throws when the text is not a port number. */
function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT
  const port = v.safeParse(Port, text)
  if (port.success) return port.output
  throw new Error(`PORT must be a whole number from 1 to 65535, not ${JSON.stringify(text)}.`)
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

/** Runs the gateway until it ends or is stopped. Afterwards none of its processes are left. */
async function runGateway(directory: string): Promise<void> {
  const gateway = startLocalGateway(directory)
  await Promise.race([gateway.ended, aborted(stopping.signal)])
  await gateway.stop()
}

/**
 * Runs the service until it ends or is stopped, and fires its cron trigger meanwhile. Afterwards none of its processes
 * are left.
 */
async function runService(options: ServiceOptions, onServing: () => void): Promise<void> {
  const service = startService(options)
  const run = new AbortController()
  const signal = AbortSignal.any([stopping.signal, run.signal])
  const attending = attend(service, `http://127.0.0.1:${options.port}`, signal, onServing)
  await Promise.race([service.ended, aborted(stopping.signal)])
  run.abort()
  await service.stop()
  await attending
}

async function attend(
  service: Supervised,
  url: string,
  signal: AbortSignal,
  onServing: () => void,
): Promise<void> {
  if (!(await waitUntilServing(url, signal))) return
  onServing()
  await keepCronFiring(url, signal, () => void service.stop())
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true })
  })
}

function greeting(
  url: string,
  [demo, ...pos]: readonly DemoKey[],
  siteUrl: string,
  operatorKey: string,
): string {
  const forms = demoForms()
  const [plain = '', ...others] = forms.map(({ formId }) => formId)
  const locked = forms.find(({ password }) => password !== undefined)
  const { organizationId = '', name = '' } = demo?.organization ?? {}
  const key = demo?.key ?? ''
  const submission = `${url}/api/forms/${plain}/submissions`
  return [
    '',
    `Serving at ${url}`,
    '',
    `  Start page          ${url}/    and the reference: ${url}/docs`,
    `  Console             ${url}/console#${operatorKey}    signs in once, as the operator`,
    `  Demo organization   ${organizationId} (${name})`,
    `  Demo tenant key     ${key}`,
    `  Demo form           ${plain}    ${submission}`,
    `  Mailbox             ${url}/mailbox    what would have been sent`,
    `  Demo web site       ${siteUrl}    forms to fill in, as on a tenant's own site`,
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

/**
 * Holds the state directory for the service at this URL, once no command runs a service of its own there. Throws when
 * another start serves there, or is about to. Null: this one was stopped meanwhile.
 */
async function holdForService(directory: string, url: string): Promise<HeldState | null> {
  for (let tries = 0; !isStopping(); tries += 1) {
    const held = holdState(directory, url)
    if (held !== null) return held
    // Whoever holds the directory says so a moment after taking it.
    await pause(HOLD_POLL_MS)
    const holder = stateHolder(directory)
    if (holder !== null && holder.url !== null) {
      throw new Error(
        `The service of ${directory} ${holder.isServing ? 'runs' : 'is starting'} at ${holder.url}: use that one, end it, or set STATE_DIR to another directory.`,
      )
    }
    if (holder !== null && tries === 0)
      process.stderr.write(`Waiting for a command that uses ${directory}…\n`)
  }
  return null
}

async function main(): Promise<void> {
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
  if (!(await isPortFree(port))) {
    throw new Error(
      `Port ${port} is in use. End what uses it, or set PORT to another: PORT=${port + 1} npm start`,
    )
  }
  const keys = await prepareState(directory)
  const url = `http://127.0.0.1:${port}`
  const site = await startDemoSite({
    serviceUrl: url,
    preferredPort: port + DEMO_SITE_OFFSET,
  })
  const gatewayPort = await portNear(port + GATEWAY_OFFSET)
  prepareLocalGateway(directory, gatewayPort)
  let announce = (): void => {
    held.announce()
    process.stdout.write(greeting(url, keys, site.url, readLocalOperatorKey(directory) ?? ''))
  }
  const announceOnce = () => {
    announce()
    announce = () => undefined
  }
  const options = { port, stateDirectory: directory, gatewayPort, demoSiteUrl: site.url }
  await bothUntilStopped(
    supervise('The ODBC gateway', () => runGateway(directory)),
    supervise('The service', () => runService(options, announceOnce)),
  )
}

/** Waits for both. When one of them fails for good, the other is stopped too. */
async function bothUntilStopped(first: Promise<void>, second: Promise<void>): Promise<void> {
  try {
    await Promise.all([first, second])
  } finally {
    stop()
    await Promise.allSettled([first, second])
  }
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
