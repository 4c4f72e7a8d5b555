import { join } from 'node:path'
import { localPosPaths } from '../local/pos-sources.ts'
import { databasesPath, secretsPath } from '../local/state.ts'
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

/** Starts the Worker. The service responds only some moments later; see `waitUntilServing`. */
export function startService(options: ServiceOptions): Supervised {
  const { port, stateDirectory, gatewayPort, demoSiteUrl } = options
  const given = {
    port,
    persist: databasesPath(stateDirectory),
    // For measurements of memory only: whoever reaches the debugger can read every secret.
    hasInspector: process.env.INSPECTOR === '1',
    // Secrets are passed in files, because every user of the machine can read command lines.
    envFiles: [secretsPath(stateDirectory), localPosPaths(stateDirectory).secret],
    variables: {
      // Only a local start sets this: messages are kept instead of sent, and shown at /mailbox.
      LOCAL_MAILBOX: '1',
      DEMO_SITE_URL: demoSiteUrl,
      POS_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
    },
  }
  const environment = { ...wranglerEnvironment(stateDirectory), WRANGLER_LOG: logLevel }
  const args = [join(import.meta.dirname, 'local-worker.mjs'), JSON.stringify(given)]
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
