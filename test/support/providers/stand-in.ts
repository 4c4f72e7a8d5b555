import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'

/** How a stand-in of a provider treats the next request instead of answering normally. */
export type Misbehaviour =
  /** Responds with this status and body. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Closes the connection: before its work, or after it. */
  | 'reset'
  | 'reset_after'
  /** Does its work and never responds. */
  | 'silence'
  /** Responds with text that is not JSON. */
  | 'garbage'
  /** Does its work, and closes the connection in the middle of the response. */
  | 'truncated'
  /** Does its work and responds after this long. */
  | { readonly delayMs: number }

export interface StandInRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface StandInAnswer {
  readonly status: number
  readonly body: unknown
}

/** A provider's API on this machine. */
export interface StandIn {
  readonly url: string
  /** The treatment of the next requests, in order; later ones are answered normally. */
  readonly misbehave: Misbehaviour[]
  /** The treatment of all requests after those; null: they are answered normally. */
  treat: (request: StandInRequest) => Misbehaviour | null
  /** Called when a request has been read whose response comes late or never. */
  onLate: () => void
  /** The maximum number of requests that were in progress at once. */
  widest(): number
  readonly requests: readonly StandInRequest[]
  close(): Promise<void>
}

/** Serves `work`, with misbehaviour on demand. */
export async function openStandIn(work: (request: StandInRequest) => StandInAnswer): Promise<StandIn> {
  const misbehave: Misbehaviour[] = []
  const requests: StandInRequest[] = []
  let width = 0
  let widest = 0
  const server = createServer((incoming, response) => {
    width += 1
    widest = Math.max(widest, width)
    response.once('close', () => (width -= 1))
    void read(incoming).then((body) => {
      const { method = '', url = '', headers } = incoming
      const request = { method, path: url, headers, body }
      requests.push(request)
      const how = misbehave.shift() ?? standIn.treat(request)
      answer(request, how, response, work)
      if (isLate(how)) standIn.onLate()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const standIn: StandIn = {
    url: `http://127.0.0.1:${port}`,
    misbehave,
    treat: () => null,
    onLate: () => undefined,
    widest: () => widest,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

function isLate(how: Misbehaviour | null): boolean {
  return how === 'silence' || (how !== null && typeof how === 'object' && 'delayMs' in how)
}

/** A time limit that is reached when the provider responds late, but not when the machine is slow. */
export function untilLate(standIn: StandIn): AbortSignal {
  const limit = new AbortController()
  standIn.onLate = () => {
    limit.abort()
  }
  return limit.signal
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function answer(
  request: StandInRequest,
  how: Misbehaviour | null,
  response: ServerResponse,
  work: (request: StandInRequest) => StandInAnswer,
): void {
  if (how === 'reset') {
    response.destroy()
    return
  }
  if (how !== null && typeof how === 'object' && 'status' in how) {
    send(response, how.status, JSON.stringify(how.body ?? {}), how.headers)
    return
  }
  const { status, body } = work(request)
  if (how === 'reset_after') response.destroy()
  else if (how === 'garbage') send(response, status, '<html>')
  else if (how === 'truncated') truncate(response, status, JSON.stringify(body))
  else if (how === null) send(response, status, JSON.stringify(body))
  else if (typeof how === 'object')
    setTimeout(() => {
      send(response, status, JSON.stringify(body))
    }, how.delayMs)
}

function truncate(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length })
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
