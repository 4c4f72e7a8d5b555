/**
 * The service in a process of its own, over Node's `http`, so that its heap can be bounded. `small-heap-server.ts FILE
 * N` stores its data in FILE, saves N submissions of the worst kind, and prints a line of JSON with its address, a
 * tenant's key and an operator's key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createNodeSqliteStorage } from '../../../adapters/node-sqlite/index.ts'
import type { SendResult } from '../../../ports/messaging.ts'
import { openTestService } from '../../support/services/service.ts'

const [file = ':memory:', count = '0'] = process.argv.slice(2)
const CHUNK = 20
/** As many control characters as the body of a submission can contain; each takes six characters in JSON. */
const NOTE = '\u0001'.repeat(60_000)

const accepted = async (): Promise<SendResult> => ({ kind: 'accepted', providerId: null })
const service = await openTestService((clock) => createNodeSqliteStorage({ path: file, clock }), undefined, {
  email: { capabilities: { idempotencyMs: 0 }, send: accepted },
  sms: { capabilities: { idempotencyMs: 0 }, shortcode: '12345', send: accepted },
  mail: { domain: 'mail.example.com', brand: 'Brand' },
})
const key = await service.addOrganization('acme', { slug: 'acme', smsNumber: '+12125550100' })
const operatorKey = await service.addOperatorKey('admin')
for (let start = 0; start < Number(count); start += CHUNK) {
  const rows = Array.from({ length: Math.min(CHUNK, Number(count) - start) }, (_, index) =>
    submission(start + index),
  )
  await service.storage.tenant('acme').upsert('form-submissions', rows)
}

function submission(index: number) {
  return {
    submissionId: `submission-${String(index).padStart(6, '0')}`,
    formId: 'form',
    contactId: null,
    answers: { note: NOTE },
    attribution: {},
    source: 'headless',
    submittedAt: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  }
}

async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const method = incoming.method ?? 'GET'
  const body = method === 'GET' ? null : await buffer(incoming)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const response = await service.sendUnchecked(incoming.url ?? '/', { method, headers, body })
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
}

const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}`, key, operatorKey })}\n`)
})
