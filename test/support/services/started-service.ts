import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { isPortFree } from '../../../host-worker/local/state.ts'
import { peakMiB } from './process-tree.ts'

/** A fresh copy installs its dependencies first. */
const START_TIMEOUT_MS = 240_000
const STOP_TIMEOUT_MS = 60_000

/** `npm start` as a person runs it, in a process group of its own. */
export interface StartedService {
  readonly origin: string
  /** Tenant key of the demo organization. */
  readonly demoKey: string
  /** Process id of npm, which leads the group of npm, its shell and `start.ts`. */
  readonly pid: number
  /** Everything printed so far. */
  output(): string
  /** The log lines of requests printed so far. */
  requests(): readonly RequestLine[]
  /** Stops it as Ctrl-C would, and waits until it has ended. Throws when it does not end. */
  stop(): Promise<void>
}

/** The log line of one request. */
export interface RequestLine {
  readonly requestId: string
  readonly endpointId: string | null
  readonly status: number
  readonly durationMs: number
  readonly rowsRead: number
}

export interface StartOptions {
  readonly port: number
  readonly stateDirectory: string
  /** The directory of another copy of the project. Default: this one. */
  readonly directory?: string
}

/** Process groups that must not outlive this process, however it ends. */
const groups = new Set<number>()
const scratch = new Set<string>()

process.on('exit', () => {
  for (const pid of groups) killGroup(pid)
  // What was killed may still write for a moment.
  for (const directory of scratch) rmSync(directory, { recursive: true, force: true, maxRetries: 20 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

/** A new directory for files or state, removed when this process ends. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'service-'))
  scratch.add(directory)
  return directory
}

/** Below the ports that systems give to whoever asks for any (49152 by RFC 6335, 32768 on Linux). */
const PORTS = { first: 15_000, last: 29_999 }

/**
 * A port of the loopback interface that is free now. A service binds it seconds later, so it is none that the system
 * may meanwhile give to another program, as a connection's own port too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last + 1)
    if (await isPortFree(port)) return port
  }
}

/** Runs `npm start` and waits until it serves. Throws with its output when it ends or hangs before that. */
export async function startService({
  port,
  stateDirectory,
  directory = projectRoot,
}: StartOptions): Promise<StartedService> {
  const child = spawn('npm', ['start'], {
    cwd: directory,
    env: { ...process.env, PORT: String(port), STATE_DIR: stateDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('npm cannot be run')
  groups.add(pid)
  const output = collectOutput(child)
  const ended = once(child, 'exit')
  await untilServing(child, output)
  return {
    origin: `http://127.0.0.1:${port}`,
    demoKey: /ck_live_\w+/.exec(output())?.[0] ?? '',
    pid,
    output,
    requests: () => output().split('\n').flatMap(readRequestLine),
    stop: () => stopGroup(pid, ended, output),
  }
}

function collectOutput(child: ChildProcess): () => string {
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => chunks.push(text))
  return () => chunks.join('')
}

async function untilServing(child: ChildProcess, output: () => string): Promise<void> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS
  while (!output().includes('Ctrl-C ends it.')) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > giveUpAt)
      throw new Error(`The service did not start:\n${output()}`)
    await pause(50)
  }
}

function readRequestLine(line: string): readonly RequestLine[] {
  if (!line.startsWith('{') || !line.includes('"event":"request"')) return []
  return [JSON.parse(line) as RequestLine]
}

async function stopGroup(pid: number, ended: Promise<unknown>, output: () => string): Promise<void> {
  // A terminal sends Ctrl-C to the whole foreground group.
  signalGroup(pid, 'SIGINT')
  const inTime = await Promise.race([ended.then(() => true), pause(STOP_TIMEOUT_MS, false, { ref: false })])
  groups.delete(pid)
  if (inTime) return
  killGroup(pid)
  throw new Error(`The service did not end within ${STOP_TIMEOUT_MS} ms of Ctrl-C:\n${output().slice(-2000)}`)
}

function killGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL')
}

/** Signals every process of a group. A group that has ended is not an error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has no more processes.
  }
}

/** The result of one operator command. */
export interface Operated {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The peak memory of its process, in MiB; null when the system does not tell. */
  readonly peakMemoryMiB: number | null
}

/** Runs `operator ARGUMENTS` on a state directory, whether or not a service runs on it. */
export function operate(stateDirectory: string, ...args: readonly string[]): Promise<Operated> {
  return operateWith({ STATE_DIR: stateDirectory }, ...args)
}

/** Runs `operator ARGUMENTS` with these environment variables. The login of the real user is not used. */
export function operateWith(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Operated> {
  return operateIn(projectRoot, environment, ...args)
}

/** Like `operateWith`, in a directory that may be another copy of the project. */
export async function operateIn(
  directory: string,
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Operated> {
  const child = spawn(process.execPath, [join(projectRoot, 'host-worker', 'operator', 'main.ts'), ...args], {
    cwd: directory,
    env: { ...process.env, XDG_CONFIG_HOME: scratchDirectory(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  let peakMemoryMiB: number | null = null
  const sampling = setInterval(() => {
    peakMemoryMiB = (child.pid === undefined ? null : peakMiB(child.pid)) ?? peakMemoryMiB
  }, SAMPLE_MS)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(sampling)
  return { code, stdout, stderr, peakMemoryMiB }
}

const SAMPLE_MS = 50

/** Runs an operator command that must succeed, and returns its output. */
export async function operateOrThrow(stateDirectory: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await operate(stateDirectory, ...args)
  if (code !== 0) throw new Error(`operator ${args.join(' ')} ended with ${code}:\n${stderr}`)
  return stdout.trim()
}
