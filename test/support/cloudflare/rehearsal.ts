import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StandIn } from '../providers/stand-in.ts'
import { scratchDirectory } from '../services/started-service.ts'
import { emptyAccount, type CloudflareAccount } from './account.ts'
import { openCloudflare, TOKEN } from './stand-in.ts'
import { serveUploaded, type UploadedService } from './uploaded-service.ts'

export interface Ran {
  readonly exitCode: number | null
  readonly output: string
}

/**
 * A machine of a person who deploys, with the real command and the real wrangler. Cloudflare is a stand-in on this
 * machine, which serves on the real runtime what was uploaded.
 */
export interface Rehearsal {
  readonly account: CloudflareAccount
  readonly cloudflare: StandIn
  /** The folder of the person's own files. */
  readonly home: string
  /** Runs a command in the project. `token` is the login, empty for none; `started` is told the group of its processes. */
  run(
    command: string,
    options?: { readonly token?: string; readonly started?: (group: number) => void },
  ): Promise<Ran>
  /** Asks what was uploaded. */
  ask(url: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** @param directory the project, or a copy of it */
export async function openRehearsal(directory: string): Promise<Rehearsal> {
  const account = emptyAccount()
  const cloudflare = await openCloudflare(account)
  const home = scratchDirectory()
  const services = new Map<string, Promise<UploadedService>>()
  const ask = async (url: string, init: RequestInit = {}) => {
    const { hostname, pathname } = new URL(url)
    const script = account.scripts.get(hostname.split('.')[0] ?? '')
    if (script === undefined) return new Response('no such host', { status: 530 })
    // The files of the pages are assets, which Cloudflare serves. The stand-in has been told their names alone.
    if (pathname.startsWith('/assets/')) return new Response('asset')
    const service = services.get(script.name) ?? serveUploaded(account, script)
    services.set(script.name, service)
    return (await service).answer(url, init)
  }
  const network = createServer((request, response) => void relay(request, response, ask))
  network.listen(0, '127.0.0.1')
  await once(network, 'listening')
  const hook = pathToFileURL(join(import.meta.dirname, 'reach-uploaded.mjs'))
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: home,
    NODE_OPTIONS: `--import ${hook.href}`,
    UPLOADED_SERVICES: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
    CLOUDFLARE_API_BASE_URL: cloudflare.url,
  }
  return {
    account,
    cloudflare,
    home,
    ask,
    run: async (command, { token = TOKEN, started = () => undefined } = {}) => {
      const child = spawn('bash', ['-c', command], {
        cwd: directory,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...environment, ...(token === '' ? {} : { CLOUDFLARE_API_TOKEN: token }) },
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text: Buffer) => (output += text.toString()))
      started(child.pid ?? 0)
      const [exitCode] = (await once(child, 'close')) as [number | null]
      return { exitCode, output }
    },
    close: async () => {
      for (const service of services.values()) await (await service).close()
      network.close()
      await cloudflare.close()
    },
  }
}

/** Answers a request that `reach-uploaded.mjs` sent here. */
async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  ask: (url: string, init: RequestInit) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { 'x-uploaded-url': url = '', ...headers } = request.headers as Record<string, string>
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
  const answer = await ask(url, { method: request.method ?? 'GET', headers, ...body })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
}
