import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { DROPPED_MAX_BYTES, DROPPED_MAX_MS } from '../../domain/limits/body.ts'
import { sharedLiveService, type SharedService } from '../support/services/live-service.ts'

// A sender learns why its body is refused, although the answer was known before the body had arrived.

let live: SharedService

beforeAll(async () => {
  live = await sharedLiveService()
}, 60_000)

const FORM = '/api/forms/plain/submissions'
const IMPORTS = '/operator/v1/organizations/acme/imports'
/** More than the runtime reads by itself of a body that nobody wants. */
const BYTES = 200_000

test.each<[name: string, status: number, method: string, path: string]>([
  ['too large', 413, 'POST', FORM],
  ['for an unknown path', 404, 'POST', '/api/v1/none'],
  ['with a method that the path does not have', 405, 'PUT', FORM],
  ['without a key, a message', 401, 'POST', '/api/v1/message'],
  ['without a key, an email', 401, 'POST', '/api/v1/email'],
  ['without a key, an import', 401, 'POST', IMPORTS],
  ['without a key, a part of an import', 401, 'PUT', `${IMPORTS}/imp_none/parts/1`],
  ['for the form client', 405, 'POST', '/form-client.js'],
  ['for QStash, which is not configured', 404, 'POST', '/qstash'],
  ['for events of email, which are not configured', 404, 'POST', '/providers/resend/events'],
])('%s: %i, and the connection serves the next request', async (_, status, method, path) => {
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
  const next = 'GET /api/v1/contacts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const declared = `${head}Content-Length: ${BYTES}\r\n\r\n${'x'.repeat(BYTES)}`
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${`3e8\r\n${'x'.repeat(1_000)}\r\n`.repeat(BYTES / 1_000)}0\r\n\r\n`
  for (const request of [declared, chunked])
    expect(await statusesOf(request + next)).toEqual([String(status), '401'])
})

/** Sends bytes, and returns the status of each answer once the connection has ended. */
async function statusesOf(bytes: string): Promise<readonly string[]> {
  const socket = connect(Number(new URL(live.origin).port), '127.0.0.1')
  let received = ''
  const ended = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').on('data', (text: string) => (received += text))
    socket.on('close', resolve).on('error', () => undefined)
  })
  socket.write(bytes)
  await ended
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)
}

test('a sender that trickles a body is answered soon', async () => {
  const startedMs = performance.now()
  const answers = await Promise.all([
    trickle(`PUT ${FORM} HTTP/1.1\r\nHost: x\r\nContent-Length: ${BYTES}\r\n\r\n`, ' '),
    trickle(`PUT ${FORM} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
  ])
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 405 /)
  expect(performance.now() - startedMs).toBeLessThan(10 * DROPPED_MAX_MS)
})

test('of a body that declares too much nothing is awaited', async () => {
  const answer = await trickle(
    `PUT ${FORM} HTTP/1.1\r\nHost: x\r\nContent-Length: ${DROPPED_MAX_BYTES + 1}\r\n\r\n`,
    '',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 405 /)
})

/** Sends a piece every now and then until an answer comes. */
async function trickle(head: string, piece: string): Promise<string> {
  const socket = connect(Number(new URL(live.origin).port), '127.0.0.1')
  const answer = new Promise<string>((resolve, reject) => {
    socket.setEncoding('latin1').once('data', resolve).on('error', reject)
  })
  socket.write(head)
  const sending = setInterval(() => socket.write(piece), DROPPED_MAX_MS / 20)
  try {
    return await answer
  } finally {
    clearInterval(sending)
    socket.destroy()
  }
}
