import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { DROPPED_MAX_BYTES } from '../../domain/limits/body.ts'
import type { HostileRequest } from './requests.ts'

/** The end of a request: a status, or a connection that closed or hung without one. */
export type Ending =
  /** An answer of the service. */
  | { readonly kind: 'status'; readonly status: number }
  /** An answer of the runtime in front of the service. `text` is the beginning of its body. */
  | { readonly kind: 'foreign'; readonly status: number; readonly text: string }
  | { readonly kind: 'closed'; readonly reason: string }
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
    // Left to itself, Node sends the body of a DELETE without its length, as if it were the next request.
    const length = body === null ? {} : { 'content-length': body.length }
    // Its connection may end after the answer, while another request is being sent over it.
    const isHuge = (body?.length ?? 0) > DROPPED_MAX_BYTES
    const sending = request(
      origin + path,
      { agent: isHuge ? false : agent, method, headers: { ...headers, ...length } },
      (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (chunk: string) => {
          if (text.length < FOREIGN_TEXT_LENGTH) text += chunk
        })
        response.on('close', () => {
          resolve(endingOf(response.statusCode ?? 0, response.headers['x-request-id'] !== undefined, text))
        })
      },
    )
    sending.setTimeout(HANG_MS, () => {
      resolve({ kind: 'hung' })
      sending.destroy()
    })
    sending.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      resolve({ kind: 'closed', reason: code ?? message })
    })
    sending.end(body)
  })
}

/** How much of an answer that is not the service's own is kept. */
const FOREIGN_TEXT_LENGTH = 100

function endingOf(status: number, isOurs: boolean, text: string): Ending {
  return isOurs
    ? { kind: 'status', status }
    : { kind: 'foreign', status, text: text.slice(0, FOREIGN_TEXT_LENGTH) }
}

/** Bytes that are written to a socket in several chunks, each after a pause. No HTTP client would send them. */
export interface RawAttack {
  readonly name: string
  readonly chunks: readonly { readonly text: string; readonly afterMs: number }[]
  /** Whether the client closes the connection at once instead of reading. */
  readonly hangsUp: boolean
  /** The endings without an answer of the service that are right: `closed`, or a status of the runtime. */
  readonly excused: readonly string[]
}

/** Runs an attack. It has `hung` when neither an answer nor the connection's end came in time. */
export async function runRaw(port: number, { chunks, hangsUp }: RawAttack): Promise<Ending> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  const ended = new Promise<Ending>((resolve) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
      const [, status, headers = '', body = ''] =
        /^HTTP\/1\.1 (\d{3})([^]*?)\r\n\r\n([^]*)/.exec(received) ?? []
      if (status === undefined) return
      resolve(endingOf(Number(status), /\r\nx-request-id:/i.test(headers), body))
    })
    socket.on('close', () => {
      resolve({ kind: 'closed', reason: 'ended' })
    })
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      resolve({ kind: 'closed', reason: code ?? message })
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
