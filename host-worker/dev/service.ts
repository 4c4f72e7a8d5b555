import { join } from 'node:path'
import { localPosPaths } from '../local/pos-sources.ts'
import { projectRoot } from '../local/root.ts'
import { secretsPath } from '../local/state.ts'
import type { Supervised } from './supervised-process.ts'
import { startSupervised } from './supervised-process.ts'
import { wranglerEnvironment } from '../local/wrangler-environment.ts'

/**
 * The log level for wrangler; `log` includes what the Worker logs. It is read early, because the same variable also
 * silences wrangler within this process.
 */
const logLevel = process.env.WRANGLER_LOG ?? 'log'

export interface ServiceOptions {
  readonly port: number
  readonly stateDirectory: string
  /** The port of the local ODBC gateway. */
  readonly gatewayPort: number
  /** The URL of the demo tenant's web site, for the start page. */
  readonly demoSiteUrl: string
}

/** Starts `wrangler dev`. The service responds only some moments later; see `waitUntilServing`. */
export function startService(options: ServiceOptions): Supervised {
  const { port, stateDirectory, gatewayPort, demoSiteUrl } = options
  const args = [
    join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js'),
    'dev',
    '--local',
    ...['--ip', '127.0.0.1', '--port', String(port)],
    // 0 means any free port, because two copies of the service must not use the same one.
    ...['--inspector-port', '0'],
    ...['--persist-to', stateDirectory],
    // Secrets are passed in files, because every user of the machine can read command lines.
    ...['--env-file', secretsPath(stateDirectory), '--env-file', localPosPaths(stateDirectory).secret],
    // Only a local start sets this: messages are kept instead of sent, and shown at /mailbox.
    ...['--var', 'LOCAL_MAILBOX:1', `DEMO_SITE_URL:${demoSiteUrl}`],
    ...['--var', `POS_GATEWAY_URL:http://127.0.0.1:${gatewayPort}`],
    '--show-interactive-dev-session=false',
  ]
  const environment = { ...wranglerEnvironment(stateDirectory), WRANGLER_LOG: logLevel }
  return startSupervised(args, environment, (line) => !NOISE.test(stripStyles(line)))
}

/**
 * Matches the lines that wrangler prints about itself at a start, which are not shown. The Worker's own log lines are.
 */
const NOISE =
  /^(?:\[custom build\]|Attaching additional modules|[┌├│└]|Using secrets defined|Your Worker has access|Binding |env\.|⎔ |▲ |.*Scheduled Workers are not|.*To manually trigger|.*curl "http|.*For more details, see|.*\[wrangler:info\])/

function stripStyles(line: string): string {
  return line.replaceAll(/\u001b\[[\d;]*m/g, '')
}
