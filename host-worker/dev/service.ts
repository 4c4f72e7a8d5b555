import { join } from 'node:path'
import { localPosPaths } from '../local/pos-sources.ts'
import { projectRoot } from '../local/root.ts'
import { secretsPath } from '../local/state.ts'
import type { Supervised } from './supervised-process.ts'
import { startSupervised } from './supervised-process.ts'
import { wranglerEnvironment } from '../local/wrangler-environment.ts'

/** What the Worker logs comes with wrangler's `log` level. Read early: the same variable quietens wrangler in here. */
const logLevel = process.env.WRANGLER_LOG ?? 'log'

export interface ServiceOptions {
  readonly port: number
  readonly stateDirectory: string
  /** Where the local ODBC gateway listens. */
  readonly gatewayPort: number
  /** The demo tenant's web site, for the start page. */
  readonly demoSiteUrl: string
}

/** Starts `wrangler dev`. It serves some moments later; see `waitUntilServing`. */
export function startService(options: ServiceOptions): Supervised {
  const { port, stateDirectory, gatewayPort, demoSiteUrl } = options
  const args = [
    join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js'),
    'dev',
    '--local',
    ...['--ip', '127.0.0.1', '--port', String(port)],
    // Any free port: two copies of the service must not meet on a fixed one.
    ...['--inspector-port', '0'],
    ...['--persist-to', stateDirectory],
    // Secrets are passed in files, because every user of the machine can read command lines.
    ...['--env-file', secretsPath(stateDirectory), '--env-file', localPosPaths(stateDirectory).secret],
    // Only the local start sets this: messages are not sent but kept, and shown at /mailbox.
    ...['--var', 'LOCAL_MAILBOX:1', `DEMO_SITE_URL:${demoSiteUrl}`],
    ...['--var', `POS_GATEWAY_URL:http://127.0.0.1:${gatewayPort}`],
    '--show-interactive-dev-session=false',
  ]
  const environment = { ...wranglerEnvironment(stateDirectory), WRANGLER_LOG: logLevel }
  return startSupervised(args, environment, (line) => !NOISE.test(stripStyles(line)))
}

/** The lines that wrangler prints about itself at a start. They are left out; what the Worker logs is passed on. */
const NOISE =
  /^(?:\[custom build\]|Attaching additional modules|[┌├│└]|Using secrets defined|Your Worker has access|Binding |env\.|⎔ |▲ |.*Scheduled Workers are not|.*To manually trigger|.*curl "http|.*For more details, see|.*\[wrangler:info\])/

function stripStyles(line: string): string {
  return line.replaceAll(/\u001b\[[\d;]*m/g, '')
}
