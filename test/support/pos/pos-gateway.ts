import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  createOdbcPosSources,
  type GatewayOptions,
  type OdbcPosSources,
} from '../../../adapters/pos-odbc/index.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { afterFile } from '../runner/after-file.ts'
import { scratchFolder } from '../scratch/scratch-folder.ts'
import { COMPILE_CACHE } from '../services/compile-cache.ts'

/** The secret that test gateways and their callers share. */
export const GATEWAY_SECRET = 'a secret that only the tests of the gateway know'

/** A line of a gateway's log. */
export type LogLine = Readonly<Record<string, unknown>>

/** The gateway as a separate process, as an operator runs it. */
export interface RunningGateway {
  readonly url: string
  readonly process: ChildProcess
  readonly log: readonly LogLine[]
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
}

/**
 * Starts the gateway process with a configuration. `environment` is added to the usual secret, or replaces it; `flag`
 * replaces the one that names the configuration.
 */
export function spawnGateway(
  config: unknown,
  environment: Readonly<Record<string, string>> = { POS_GATEWAY_SECRET: GATEWAY_SECRET },
  flag = '--config',
): ChildProcess {
  const file = join(scratchFolder(), 'gateway.json')
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  const main = join(projectRoot, 'adapters/pos-odbc/gateway/main.ts')
  const child = spawn(process.execPath, [main, flag, file], {
    // vitest's own variables are left out, because they would affect the gateway's Node.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...COMPILE_CACHE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that fails does not stop its gateway, so this does.
  afterFile(() => child.kill('SIGKILL'))
  return child
}

/** Starts the gateway on these sources, on a free port, and waits until it listens. */
export async function startGateway(
  sources: readonly unknown[],
  environment?: Readonly<Record<string, string>>,
): Promise<RunningGateway> {
  const child = spawnGateway({ listen: { port: 0 }, sources }, environment)
  const log: LogLine[] = []
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => {
      reject(new Error(`The gateway ended: ${complaint}`))
    })
    if (child.stdout === null) throw new Error('The gateway has no standard output')
    createInterface(child.stdout).on('line', (text) => {
      const line = JSON.parse(text) as LogLine
      log.push(line)
      if (line.event === 'listening') resolve(Number(line.port))
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    log,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      child.kill('SIGTERM')
      await once(child, 'exit')
      return child.exitCode
    },
  }
}

/** The Worker's options for reaching a gateway; `changes` replace the usual values. */
export function gatewayOptions(url: string, changes: Partial<GatewayOptions> = {}): GatewayOptions {
  return {
    url,
    secret: GATEWAY_SECRET,
    fetch: (address, init) => fetch(address, init),
    clock: { nowMs: () => Date.now() },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    deadline: { after: (durationMs) => AbortSignal.timeout(durationMs) },
    ...changes,
  }
}

/** The Worker's side of a running gateway. */
export function sourcesOf({ url }: RunningGateway, changes?: Partial<GatewayOptions>): OdbcPosSources {
  return createOdbcPosSources(gatewayOptions(url, changes))
}

/** The parts of a signed read request. A test may replace each of them. */
export interface SignedParts {
  readonly secret: string
  readonly timestampMs: number
  readonly nonce: string
  /** The body that is signed. `sent` is the body that is sent. */
  readonly body: string
  readonly sent: string
  readonly headers: Readonly<Record<string, string>>
}

/** Posts a read request, signed with Node's own crypto and not by the Worker's code. */
export function postSigned(
  { url }: RunningGateway,
  body: unknown,
  changes: Partial<SignedParts> = {},
): Promise<GatewayReply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const parts = { body: text, sent: text, ...changes }
  return send(`${url}/v1/read`, {
    method: 'POST',
    body: parts.sent,
    headers: signature('POST /v1/read', parts),
  })
}

/** Asks a gateway for its health, signed with the secret. */
export function signedHealth(
  { url }: Pick<RunningGateway, 'url'>,
  changes: Partial<SignedParts> = {},
): Promise<GatewayReply> {
  return send(`${url}/health`, { headers: signature('GET /health', { body: '', ...changes }) })
}

/** A gateway's reply. */
export interface GatewayReply {
  readonly status: number
  readonly body: unknown
}

async function send(url: string, init: RequestInit): Promise<GatewayReply> {
  const response = await fetch(url, init)
  return { status: response.status, body: (await response.json()) as unknown }
}

/** @param target the method and the path */
function signature(
  target: string,
  changes: Partial<SignedParts> & Pick<SignedParts, 'body'>,
): Readonly<Record<string, string>> {
  const { secret, timestampMs, nonce, body, headers } = {
    secret: GATEWAY_SECRET,
    timestampMs: Date.now(),
    nonce: randomBytes(16).toString('hex'),
    headers: {},
    ...changes,
  }
  const hash = createHash('sha256').update(body).digest('hex')
  const signed = `v1\n${target.replace(' ', '\n')}\n${timestampMs}\n${nonce}\n${hash}`
  return {
    'x-gateway-timestamp': String(timestampMs),
    'x-gateway-nonce': nonce,
    'x-gateway-signature': `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`,
    ...headers,
  }
}
