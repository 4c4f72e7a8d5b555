import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { HostileRequest } from './requests.ts'

/** The end of a request: a status, or a connection that closed or hung without one. */
export type Ending =
  /** `isOurs`: the answer came from the service and not from the runtime in front of it. */
  | { readonly kind: 'status'; readonly status: number; readonly isOurs: boolean }
  | { readonly kind: 'closed' }
  | { readonly kind: 'hung' }

/** No request may take longer: the service gives a body 30 s to arrive. */
const HANG_MS = 35_000

/** Sends requests over kept-alive connections. */
export function openClient(origin: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    send: (hostile: HostileRequest) => sendOne(origin, agent, hostile),
    close: () => {
      agent.destroy()
    },
  }
}

function sendOne(
  origin: string,
  agent: Agent,
  { method, path, headers, body }: HostileRequest,
): Promise<Ending> {
  return new Promise((resolve) => {
    const sending = request(origin + path, { agent, method, headers }, (response) => {
      response.resume()
      response.on('close', () => {
        const isOurs = response.headers['x-request-id'] !== undefined
        resolve({ kind: 'status', status: response.statusCode ?? 0, isOurs })
      })
    })
    sending.setTimeout(HANG_MS, () => {
      resolve({ kind: 'hung' })
      sending.destroy()
    })
    sending.on('error', () => {
      resolve({ kind: 'closed' })
    })
    sending.end(body)
  })
}

/** Bytes that are written to a socket in several chunks, each after a pause. No HTTP client would send them. */
export interface RawAttack {
  readonly name: string
  readonly chunks: readonly { readonly text: string; readonly afterMs: number }[]
  /** Whether the client closes the connection at once instead of reading. */
  readonly hangsUp: boolean
}

/** Runs an attack. It has `hung` when neither an answer nor the connection's end came in time. */
export async function runRaw(port: number, { chunks, hangsUp }: RawAttack): Promise<Ending> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  const ended = new Promise<Ending>((resolve) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
      const [, status, headers = ''] = /^HTTP\/1\.1 (\d{3})([^]*?)\r\n\r\n/.exec(received) ?? []
      if (status === undefined) return
      resolve({ kind: 'status', status: Number(status), isOurs: /\r\nx-request-id:/i.test(headers) })
    })
    socket.on('close', () => {
      resolve({ kind: 'closed' })
    })
    socket.on('error', () => {
      resolve({ kind: 'closed' })
    })
  })
  for (const { text, afterMs } of chunks) {
    await pause(afterMs)
    if (socket.writable) socket.write(text, 'latin1')
  }
  if (hangsUp) socket.destroy()
  const ending = await Promise.race([ended, pause(HANG_MS, { kind: 'hung' } as const, { ref: false })])
  socket.destroy()
  return ending
}
