import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createNodeSqliteStorage } from 'tenant-data-api/adapters/node-sqlite'
import { issueKey, openSecrets } from 'tenant-data-api/domain'
import { createService } from 'tenant-data-api/http'
import { newOrganization } from 'tenant-data-api/operator'

/**
 * The whole service in one Node program, with everything in one SQLite file:
 * `ROOT_SECRET=… PORT=8787 node node-server.ts data.db`. The secret is 32 bytes in base64url; keep it, because keys and
 * form passwords can only be checked with it.
 */
const { ROOT_SECRET = '', PORT = '8787' } = process.env
const secrets = await openSecrets(ROOT_SECRET, null)
const storage = createNodeSqliteStorage({
  path: process.argv[2] ?? 'data.db',
  clock: { nowMs: () => Date.now() },
})
const service = createService({
  storage,
  secrets,
  // In place of a provider, such as `createResendSender` of `tenant-data-api/adapters/email-resend`.
  mail: { domain: 'mail.example.com', brand: 'Example' },
  email: {
    capabilities: { idempotencyMs: 0 },
    async send({ to, subject }, key) {
      console.log(`An email to ${to}: ${subject}`)
      return { kind: 'accepted', providerId: key }
    },
  },
})

if ((await storage.administration.findOrganization('acme')) === null) await addOrganization()

async function addOrganization(): Promise<void> {
  await storage.administration.saveOrganization({ ...newOrganization('acme', 'Acme'), slug: 'acme' })
  const { clock, random } = service.world
  const { key, stored } = await issueKey({ organizationId: 'acme' }, secrets, random, clock)
  await storage.administration.addKey(stored)
  console.log(`The key of acme, shown once: ${key}`)
  const definition = {
    formId: 'contact',
    name: 'Contact',
    isPublished: true,
    notificationEmails: ['office@example.com'],
    fields: [{ id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' }],
  }
  const at = new Date().toISOString()
  const form = { formId: 'contact', name: 'Contact', isPublished: true, publishedAt: at, createdAt: at }
  await storage.tenant('acme').upsert('forms', [{ ...form, passwordHash: null, definition }])
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', headersDistinct, url = '/', headers } = incoming
  const address = `http://${headers.host ?? 'localhost'}${url}`
  if (!URL.canParse(address)) {
    outgoing.writeHead(400).end()
    return
  }
  const given = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  // The body is a stream, so that one that is too large is refused before it has arrived.
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming)
  const response = await service.fetch(
    new Request(address, { method, headers: given, body, duplex: 'half' } as RequestInit),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing)
}

const server = createServer((incoming, outgoing) => {
  // A client that goes away ends its own answer.
  answer(incoming, outgoing).catch(() => outgoing.destroy())
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Serving on http://127.0.0.1:${PORT}`))

// At the start too, for what was due while no program ran.
const sweep = () => service.sweep().catch((cause: unknown) => console.error(cause))
await sweep()
const sweeping = setInterval(() => void sweep(), 60_000)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    clearInterval(sweeping)
    server.close(() => storage.close())
    server.closeIdleConnections()
  })
