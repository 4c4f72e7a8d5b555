import { readFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { isLoopbackHost } from '../../../domain/text/http/loopback.ts'
import { isPortFree } from '../../local/free-port.ts'

/** The web site of the demo's tenant: plain pages with their own origin, like every tenant's site. */
export interface DemoSite {
  readonly url: string
  close(): void
}

export interface DemoSiteOptions {
  /** The URL of the service. */
  readonly serviceUrl: string
  /** The port to use if it is free. */
  readonly preferredPort: number
}

const pages: ReadonlyMap<string, string> = new Map([
  ['/', 'index.html'],
  ['/contact', 'contact.html'],
  ['/damage-claim', 'damage-claim.html'],
  ['/members', 'members.html'],
  ['/thanks', 'thanks.html'],
  ['/style.css', 'style.css'],
])

/** Starts the demo site on the preferred port, or on any free one. A deployment has no demo site. */
export async function startDemoSite(options: DemoSiteOptions): Promise<DemoSite> {
  const { preferredPort } = options
  const isUsable = preferredPort <= 65_535 && (await isPortFree(preferredPort))
  const server = createServer((request, response) => void answer(request, response, options))
  const port = await listen(server, isUsable ? preferredPort : 0)
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: DemoSiteOptions,
): Promise<void> {
  if (!isLoopbackHost(request.headers.host)) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end('This site is for this machine only.\n')
    return
  }
  const path = new URL(request.url ?? '/', 'http://site').pathname
  try {
    await sendPage(response, pages.get(path), options)
  } catch {
    response.writeHead(502).end()
  }
}

async function sendPage(
  response: ServerResponse,
  name: string | undefined,
  { serviceUrl }: DemoSiteOptions,
): Promise<void> {
  if (name === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
    return
  }
  const text = await readFile(join(import.meta.dirname, 'pages', name), 'utf8')
  const type = name.endsWith('.css') ? 'text/css' : 'text/html'
  // A browser may keep the page, with what was typed, in its history. With `no-store`, going back would lose the typed
  // values.
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' })
  response.end(text.replaceAll('{{service}}', serviceUrl))
}
