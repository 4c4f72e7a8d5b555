/**
 * The service of `npm start` on a state directory: `serve.ts DIRECTORY PORT`. It is a process of its own, so that `start.ts`
 * can start it again, and end everything that it has started.
 */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { portNear } from '../local/state.ts'
import { startHost } from '../local/host.ts'
import { gatewayEnvironment, prepareLocalGateway } from '../local/pos-sources.ts'
import { projectRoot } from '../local/project.ts'
import { fillLocalGateway, runLocalGateway } from './gateway.ts'

/** The distance of the gateway's port from the service's: a second copy of the service is likely to use the next one. */
const GATEWAY_OFFSET = 2_000
const CRON_EVERY_MS = 60_000
/** Until a saved change is loaded: an editor or git may write several files. */
const SETTLE_MS = 200

const [directory = '', port = ''] = process.argv.slice(2)

const gatewayPort = await portNear(Number(port) + GATEWAY_OFFSET)
prepareLocalGateway(directory, gatewayPort)
await fillLocalGateway(directory)
void runLocalGateway(directory).then(() => process.exit(1))
const host = await startHost(directory, {
  port: Number(port),
  isWhole: true,
  variables: { ...gatewayEnvironment(directory), POS_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}` },
  hasInspector: process.env.INSPECTOR === '1',
  log: (line, isProblem) => (isProblem ? process.stderr : process.stdout).write(`${line}\n`),
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    void host.close().then(() => process.exit())
  })
let reload: NodeJS.Timeout | undefined
for (const folder of ['host-worker', 'domain', 'adapters', 'ports'])
  watch(join(projectRoot, folder), { recursive: true }, (_event, name) => {
    if (name !== null && isSource(name)) reloadSoon(join(folder, name))
  })
// The first request prepares the state, which the cron needs.
await fetch(`${host.url}/health`).then((answer) => answer.text())
// What the platform does every minute. A trigger whose work takes longer is not fired again meanwhile.
for (;;) {
  const dueAtMs = performance.now() + CRON_EVERY_MS
  await host.fireCron().catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
  await pause(Math.max(1_000, dueAtMs - performance.now()))
}

function isSource(name: string): boolean {
  return (
    /\.(?:[cm]?[jt]sx?|css|html|json|ndjson|sql|md)$/.test(name) &&
    !/[\\/](?:dist|public|node_modules)[\\/]|\.test\./.test(name)
  )
}

function reloadSoon(changed: string): void {
  clearTimeout(reload)
  reload = setTimeout(() => {
    host.reload().then(
      (isAnother) => isAnother && process.stderr.write(`Loaded anew: ${changed} changed.\n`),
      (error: unknown) => process.stderr.write(`${String(error)}\n`),
    )
  }, SETTLE_MS)
}
