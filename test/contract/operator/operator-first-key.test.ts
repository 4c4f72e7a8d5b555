import { beforeEach, expect, test } from 'vitest'
import { proveRootSecret } from '../../../domain/access/operator-credentials.ts'
import { readOperatorKey } from '../../../domain/access/keys.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import { testSecrets } from '../../support/runner/fakes.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// The first operator key is issued for a proof of the root secret. The root secret itself is never sent.

const PATH = '/operator/v1/operator-keys'
const HOST = 'service.example'
const BODY = JSON.stringify({ operator: 'ada', role: 'admin' })

let secrets: Secrets
let service: TestService

beforeEach(async () => {
  // A rotation is in progress, so the previous root secret is known too.
  secrets = await testSecrets(7, 8)
  service = await openTestService((clock) => createScratchStorage({ clock }), secrets)
})

interface Changes {
  readonly host?: string
  readonly body?: string
  readonly aheadMs?: number
  readonly secret?: Secrets['current']
}

async function prove({ host = HOST, body = BODY, aheadMs = 0, secret = secrets.current }: Changes = {}) {
  return proveRootSecret(secret, { host, body: utf8(body) }, service.clock.nowMs() + aheadMs)
}

async function ask(authorization: string, body = BODY): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' }
  return service.send(PATH, { method: 'POST', headers, body })
}

test('a proof makes a key, which works and is shown once', async () => {
  const response = await ask(await prove())
  expect(response.status).toBe(201)
  const { key, ...shown } = (await response.json()) as { readonly key: string; readonly keyId: string }
  expect(readOperatorKey(key)?.keyId).toBe(shown.keyId)
  expect((await service.send('/operator/v1/health', { key })).status).toBe(200)
  await service.settled()
  const listed = await service.send(PATH, { key })
  expect(listed.status).toBe(200)
  const text = await listed.text()
  expect(text).not.toContain(key)
  expect(JSON.parse(text)).toEqual({
    data: [{ ...shown, lastUsedAt: '2026-06-15T12:00:00.000Z' }],
    pagination: { limit: 100, hasMore: false, nextCursor: null },
  })
  expect(service.logLines.join('\n')).not.toContain(key)
})

test('what it made is recorded as that of the holder of the root secret', async () => {
  await ask(await prove())
  const [record] = await service.storage.audit.list({}, null, 1)
  expect(record).toMatchObject({
    operatorKeyId: null,
    operator: 'ROOT_SECRET',
    action: 'operatorKey.issue',
    organizationId: null,
    outcome: 'done',
  })
})

test('a proof is good once', async () => {
  const proof = await prove()
  expect((await ask(proof)).status).toBe(201)
  const again = await ask(proof)
  expect([again.status, await again.json()]).toEqual([
    409,
    { error: 'A key was issued on this proof of the root secret already. Make a new proof.' },
  ])
  expect(await service.storage.operatorKeys.list(null, 10)).toHaveLength(1)
})

test('a proof is good for five minutes, by a clock that may be as much ahead', async () => {
  const minutesMs = 60_000
  for (const aheadMs of [-5 * minutesMs, 5 * minutesMs])
    expect((await ask(await prove({ aheadMs }))).status).toBe(201)
  for (const aheadMs of [-5 * minutesMs - 1000, 5 * minutesMs + 1000])
    expect((await ask(await prove({ aheadMs }))).status).toBe(401)
})

test('a proof is good for the body, the purpose and the root secret that it was made with', async () => {
  const other = await testSecrets(9)
  const good = await prove()
  expect((await ask(good, JSON.stringify({ operator: 'eve', role: 'admin' }))).status).toBe(401)
  expect((await ask(await prove({ secret: other.current }))).status).toBe(401)
  // The previous root secret is refused, because it is being replaced, perhaps since it has leaked.
  expect((await ask(await prove({ secret: secrets.previous ?? other.current }))).status).toBe(401)
  const [seconds = '', mac = ''] = good.replace('Root-Secret-Proof ', '').split('.')
  const later = `Root-Secret-Proof ${Number(seconds) + 1}.${mac}`
  for (const changed of [later, `${good}A`, good.slice(0, -1), good.toLowerCase(), `Bearer ${mac}`, mac])
    expect((await ask(changed)).status).toBe(401)
  const elsewhere = await service.send('/operator/v1/organizations', { headers: { authorization: good } })
  expect(elsewhere.status).toBe(401)
  expect(await service.storage.operatorKeys.list(null, 10)).toEqual([])
})

test('a proof that was made for another host is refused, so who receives one cannot use it elsewhere', async () => {
  const others = ['', 'service.example.', 'service.example:8787', 'evil.example', 'SERVICE.EXAMPLE']
  for (const host of others) expect((await ask(await prove({ host }))).status).toBe(401)
  const send = async (url: string, host: string) => {
    const headers = { authorization: await prove({ host }), 'content-type': 'application/json' }
    return (await service.send(url, { method: 'POST', headers, body: BODY })).status
  }
  // The host is that of the URL, as URLs normalise it.
  expect(await send(`https://SERVICE.example:443${PATH}`, HOST)).toBe(201)
  expect(await send(`http://127.0.0.1:8787${PATH}`, '127.0.0.1:8787')).toBe(201)
  expect(await send(`http://localhost:8787${PATH}`, '127.0.0.1:8787')).toBe(401)
})

test('a proof does not make a body that is wrong right, nor one that is too large', async () => {
  for (const body of ['{}', 'x', '', JSON.stringify({ operator: 'ada', role: 'owner' })])
    expect((await ask(await prove({ body }), body)).status).toBe(400)
  const large = JSON.stringify({ operator: 'a'.repeat(20_000), role: 'admin' })
  expect((await ask(await prove({ body: large }), large)).status).toBe(401)
})
