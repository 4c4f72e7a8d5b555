import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { projectRoot } from './root.ts'
import { secretsPath } from './state.ts'
import { wranglerEnvironment } from './wrangler-environment.ts'

/** What the Worker logs comes with wrangler's `log` level. Read early: the same variable quietens wrangler in here. */
const logLevel = process.env.WRANGLER_LOG ?? 'log'

export interface ServiceOptions {
  readonly port: number
  readonly stateDirectory: string
  /** The demo tenant's web site, for the start page. */
  readonly demoSiteUrl: string
}

/** The local service while it runs: wrangler and everything that wrangler starts, in a process group of their own. */
export interface Service {
  /** Settles when the whole group is gone. */
  readonly ended: Promise<void>
  /** Ends the group; settles as `ended` does. */
  stop(): Promise<void>
}

/** Starts `wrangler dev`. It serves some moments later; see `waitUntilServing`. */
export function startService({ port, stateDirectory, demoSiteUrl }: ServiceOptions): Service {
  const args = [
    join(import.meta.dirname, 'supervised.mjs'),
    process.execPath,
    join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js'),
    'dev',
    '--local',
    ...['--ip', '127.0.0.1', '--port', String(port)],
    // Any free port: two copies of the service must not meet on a fixed one.
    ...['--inspector-port', '0'],
    ...['--persist-to', stateDirectory],
    // A file rather than the command line, which every user of the machine can read.
    ...['--env-file', secretsPath(stateDirectory)],
    // Nothing but this start sets it: what would be sent is kept, and shown at /mailbox.
    ...['--var', 'LOCAL_MAILBOX:1', `DEMO_SITE_URL:${demoSiteUrl}`],
    '--show-interactive-dev-session=false',
  ]
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    detached: true,
    env: { ...process.env, ...wranglerEnvironment(stateDirectory), WRANGLER_LOG: logLevel },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  forwardLines(child.stdout, process.stdout)
  forwardLines(child.stderr, process.stderr)
  const ended = once(child, 'exit').then(() => {
    killRest(child)
  })
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { ended, stop }
}

/** What wrangler says of itself at a start; what the Worker logs is passed on. */
const NOISE =
  /^(?:\[custom build\]|Using secrets defined|Your Worker has access|Binding |env\.|⎔ |▲ |.*Scheduled Workers are not|.*To manually trigger|.*curl "http|.*For more details, see|.*\[wrangler:info\])/

function forwardLines(from: Readable, to: NodeJS.WritableStream): void {
  let rest = ''
  from.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '' && !NOISE.test(stripStyles(line))) to.write(`${line}\n`)
  })
}

function stripStyles(line: string): string {
  return line.replaceAll(/\u001b\[[\d;]*m/g, '')
}

/** The leader kills its group when it ends; only when it was itself killed is anything left. */
function killRest(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody is left in the group.
  }
}
