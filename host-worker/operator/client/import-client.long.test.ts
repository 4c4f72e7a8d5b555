import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PART_BYTES, type ImportOutcome } from '../../../domain/imports/file/transfer.ts'
import { ndjsonBytes, sourceOf } from '../../../test/support/data/imports.ts'
import { notTheService } from '../../../test/support/contract/contract-seen.ts'
import { operatorCall } from '../../../test/support/services/operator/operator-http.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../../test/support/services/service.ts'
import { CommandError, Refusal, Unavailable } from './call-service.ts'
import { importThroughService, type OperatorCall } from './import-client.ts'

let service: TestService
let key: string

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  key = await service.addOperatorKey('admin')
})

const call: OperatorCall = (method, path, init = {}) => service.send(path, { ...init, method, key })

const contacts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    contactId: `c-${index}`,
    source: 'x'.repeat(400),
    tags: [],
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    createdAt: '2026-01-01T00:00:00Z',
  }))

function run(
  lines: readonly object[],
  through: OperatorCall = call,
  seen: string[] = [],
): Promise<ImportOutcome> {
  return importThroughService({
    organizationId: 'acme',
    url: 'https://api.example',
    call: through,
    kind: 'contacts',
    format: 'ndjson',
    source: sourceOf(ndjsonBytes(lines)),
    onProgress: (pass, rows) => seen.push(`${pass} ${rows}`),
  })
}

const storedIds = async (lines: readonly { readonly contactId: string }[]) =>
  (
    await service.storage.tenant('acme').findMany(
      'contacts',
      ['contactId'],
      lines.map(({ contactId }) => contactId),
    )
  ).length

test('a file of several parts is imported, with progress, and importing it again changes nothing', async () => {
  const lines = contacts(1_500)
  expect(ndjsonBytes(lines).length).toBeGreaterThan(2 * PART_BYTES)
  const seen: string[] = []
  expect(await run(lines, call, seen)).toEqual({
    kind: 'imported',
    read: 1_500,
    changed: 1_500,
    unchanged: 0,
    skipped: 0,
    fresh: null,
    merged: null,
    warnings: [],
  })
  expect(seen.at(-1)).toBe('writing 1500')
  expect(seen.filter((line) => line.startsWith('checking'))).toHaveLength(4)
  expect(await storedIds(lines)).toBe(1_500)
  expect(await run(lines)).toMatchObject({ changed: 0, unchanged: 1_500 })
})

test('problems come back with their lines, and nothing is written', async () => {
  const lines = [...contacts(3), { contactId: 'c-1' }]
  const outcome = await run(lines)
  if (outcome.kind !== 'invalid') throw new Error(outcome.kind)
  expect(outcome.problems.map(({ line, message }) => `${line} ${message}`)).toContain(
    '4 is the same as in line 2',
  )
  expect(await storedIds(contacts(3))).toBe(0)
})

test('a request or an answer that is lost is repeated, wherever that happens', async () => {
  const lines = contacts(1_500)
  let requests = 0
  const shaky: OperatorCall = async (method, path, init) => {
    requests += 1
    const lossy = requests % 3
    if (lossy === 1) throw new Unavailable('before')
    const response = await call(method, path, init)
    if (lossy === 2) throw new Unavailable('after')
    return response
  }
  expect(await run(lines, shaky)).toMatchObject({ kind: 'imported', read: 1_500, changed: 1_500 })
  expect(await storedIds(lines)).toBe(1_500)
}, 30_000)

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Serves the service on a port. The connection breaks in the middle of the answers for which `isCut` is true. */
async function serveCut(isCut: (answer: number) => boolean): Promise<string> {
  let answers = 0
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then(async (sent) => {
      const { method = '', url = '', headers } = incoming
      const response = await service.send(url, {
        method,
        headers: headers as Record<string, string>,
        ...(sent.length === 0 ? {} : { body: new Uint8Array(sent) }),
      })
      const text = await response.text()
      answers += 1
      const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      outgoing.writeHead(response.status, head)
      if (isCut(answers)) outgoing.write(text.slice(0, text.length / 2), () => outgoing.destroy())
      else outgoing.end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`
  closing.push(notTheService(origin, 'answers that break off'), () => server.close())
  return origin
}

test('a request whose answer breaks off is repeated, and the import goes on', async () => {
  const lines = contacts(1_500)
  let cuts = 0
  const origin = await serveCut((answer) => {
    const isCut = [1, 3].includes(answer)
    if (isCut) cuts += 1
    return isCut
  })
  expect(await run(lines, operatorCall(origin, key))).toMatchObject({ kind: 'imported', changed: 1_500 })
  expect(cuts).toBe(2)
  expect(await storedIds(lines)).toBe(1_500)
})

test.each([200, 422])(
  'an answer %i that is not JSON is not from the service, and is final',
  async (status) => {
    let requests = 0
    const foreign: OperatorCall = async () => {
      requests += 1
      return new Response('{', { status, headers: { 'content-type': 'application/json' } })
    }
    const outcome = run(contacts(1), foreign)
    await expect(outcome).rejects.toBeInstanceOf(CommandError)
    await expect(outcome).rejects.toThrow('https://api.example is not the address of this service')
    expect(requests).toBe(1)
  },
)

test('an import whose key is revoked in between is taken up with another key', async () => {
  const lines = contacts(1_500)
  const sent: string[] = []
  const refused = new Error('The key is refused')
  const counting: OperatorCall = async (method, path, init) => {
    sent.push(path)
    if (sent.length === 3) await service.revokeOperatorKey(key)
    const response = await call(method, path, init)
    if (response.status === 401) throw refused
    return response
  }
  await expect(run(lines, counting)).rejects.toBe(refused)
  expect(await storedIds(lines)).toBe(0)
  key = await service.addOperatorKey('admin')
  const resumed: string[] = []
  const recording: OperatorCall = (method, path, init) => {
    resumed.push(path)
    return call(method, path, init)
  }
  expect(await run(lines, recording)).toMatchObject({ kind: 'imported', changed: 1_500 })
  expect(resumed.filter((path) => path.includes('/parts/')).map((path) => path.split('/').at(-1))).toEqual([
    '2',
    '3',
    '4',
  ])
})

test('what the service says is passed on as it is', async () => {
  const elsewhere = importThroughService({
    organizationId: 'nobody',
    url: 'https://api.example',
    call,
    kind: 'contacts',
    format: 'ndjson',
    source: sourceOf(ndjsonBytes(contacts(1))),
    onProgress: () => undefined,
  })
  await expect(elsewhere).rejects.toEqual(new Refusal(404, 'There is no organization nobody.'))
})
