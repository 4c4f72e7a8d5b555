import { beforeEach, describe, expect, test } from 'vitest'
import { readKey, crc32 } from '../../domain/access/keys.ts'
import { toBase62, utf8 } from '../../domain/text/encoding.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import { plainForm } from '../bench/seed.ts'
import { openTestService, type TestService, type TestStorage } from '../support/services/service.ts'

// A word that no log line may contain. The tests put it into every place where a request can carry it.
const PLANTED = 'planted-secret'
const EMAIL = `${PLANTED}@example.com`

let service: TestService
let key: string
let isStorageLost: boolean

/** Storage that can be made unavailable. Its errors quote the values that it was given. */
function fragile(storage: TestStorage): TestStorage {
  const guarded = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): unknown => {
          if (isStorageLost) throw new Error(`D1_ERROR: ${PLANTED} ${JSON.stringify(given)}`)
          return Reflect.apply(value, target, given)
        }
      },
    })
  return { ...storage, keyed: guarded(storage.keyed), forms: guarded(storage.forms) }
}

beforeEach(async () => {
  isStorageLost = false
  service = await openTestService((clock) => fragile(createScratchStorage({ clock })))
  key = await service.addOrganization('acme', { name: PLANTED, slug: 'acme', smsNumber: '+12125550100' })
  await service.storage.tenant('acme').upsert('forms', [plainForm])
})

interface Line {
  readonly event: string
  readonly requestId: string
  readonly endpointId: string | null
  readonly status: number
  readonly organizationId: string | null
  readonly keyId: string | null
  readonly submissionId?: string
}

function requestLines(): readonly Line[] {
  return service.logLines.map((line) => JSON.parse(line) as Line).filter(({ event }) => event === 'request')
}

function expectNothingPlanted(): void {
  const text = service.logLines.join('\n')
  expect(text).not.toContain(PLANTED)
  expect(text).not.toContain(key)
  expect(text).not.toMatch(/[cp]k_live_/)
}

/** A key with the id of a good one and another secret. Its checksum is right, because anybody can compute one. */
function forged(good: string): string {
  const unchecked = `${good.slice(0, -34)}${'0'.repeat(28)}`
  return `${unchecked}${toBase62(crc32(utf8(unchecked)), 6)}`
}

const headers = {
  'user-agent': PLANTED,
  origin: `https://${PLANTED}.example`,
  referer: `https://${PLANTED}.example/`,
  cookie: `session=${PLANTED}`,
  'x-forwarded-for': PLANTED,
}

describe.each(endpoints)('$id', ({ id, method, path, access }) => {
  const address = `${path.replaceAll(/\{\w+\}/g, PLANTED)}?email=${EMAIL}&cursor=${PLANTED}&key=${PLANTED}`
  const body = JSON.stringify({
    to: EMAIL,
    subject: PLANTED,
    html: PLANTED,
    body: PLANTED,
    [PLANTED]: PLANTED,
  })
  const init = method === 'POST' ? { method, headers, body } : { method, headers }

  test('logs one line with the organization and nothing that was sent', async () => {
    const { status } = await service.send(address, { ...init, key })
    await service.settled()
    expect(requestLines()).toHaveLength(1)
    const isKeyed = access !== 'public'
    expect(requestLines()[0]).toMatchObject({
      requestId: 'req_1',
      endpointId: id,
      status,
      organizationId: isKeyed ? 'acme' : null,
      keyId: isKeyed ? readKey(key)?.keyId : null,
    })
    expectNothingPlanted()
  })

  if (access !== 'public') {
    test('does not believe a key that is not good', async () => {
      for (const odd of [
        `${key}x`,
        key.replace('acme', 'other'),
        `ck_live_acme_${PLANTED}`,
        PLANTED,
        forged(key),
      ])
        await service.send(address, { ...init, key: odd })
      expect(
        requestLines().map(({ status, organizationId, keyId }) => [status, organizationId, keyId]),
      ).toEqual(Array.from({ length: 5 }, () => [401, null, null]))
      expectNothingPlanted()
    })

    test('says where it failed, not with what', async () => {
      isStorageLost = true
      const { status } = await service.send(address, { ...init, key })
      expect(status).toBe(500)
      expect(service.logLines).toHaveLength(2)
      expect(service.logLines[0]).toContain('"event":"request_failed"')
      expect(service.logLines[0]).toContain(`"endpointId":"${id}"`)
      expect(service.logLines[0]).toContain('"errorName":"Error"')
      expectNothingPlanted()
    })
  }
})

test('a submission belongs to the organization of its form, whatever becomes of it', async () => {
  const submit = (answers: object, formId = 'bench-form') =>
    service.send(`/api/forms/${formId}/submissions`, {
      headers,
      json: { _gotcha: '', _password: PLANTED, _utm_source: PLANTED, ...answers },
    })
  const saved = await submit({ full_name: PLANTED, email: EMAIL, message: PLANTED })
  const { submissionId } = (await saved.json()) as { readonly submissionId: string }
  await submit({ [PLANTED]: PLANTED })
  await submit({ _gotcha: PLANTED })
  await submit({}, PLANTED)
  await service.settled()
  isStorageLost = true
  await submit({ full_name: PLANTED, email: EMAIL, message: PLANTED })
  const lines = requestLines()
  expect(lines.map(({ status, organizationId, keyId }) => [status, organizationId, keyId])).toEqual([
    [200, 'acme', null],
    [422, 'acme', null],
    [200, 'acme', null],
    [404, null, null],
    [500, 'acme', null],
  ])
  // The id of the receipt. Where storage was lost, it is the id of what may have been saved.
  expect(lines.map((line) => line.submissionId)).toEqual([
    submissionId,
    undefined,
    undefined,
    undefined,
    expect.stringMatching(/^sub_/),
  ])
  expectNothingPlanted()
})

test('a path that does not exist, and a method, are logged without the path', async () => {
  await service.send(`/api/v1/${PLANTED}?${PLANTED}`, { key })
  await service.send(`/api/v1/contacts/${PLANTED}`, { method: 'DELETE', key })
  expect(requestLines().map(({ endpointId, status }) => [endpointId, status])).toEqual([
    [null, 404],
    ['/api/v1/contacts/{contactId}', 405],
  ])
  expectNothingPlanted()
})

test('a send of the platform names its key, and nobody for a forged one', async () => {
  const platformKey = await service.addPlatformKey()
  const keyId = readKey(platformKey)?.keyId
  expect(keyId).toEqual(expect.any(String))
  expect(readKey(forged(platformKey))?.keyId).toBe(keyId)
  for (const given of [platformKey, forged(platformKey)])
    await service.send('/api/v1/email', { method: 'POST', headers, body: '{}', key: given })
  expect(requestLines().map(({ status, organizationId, keyId }) => [status, organizationId, keyId])).toEqual([
    [400, null, readKey(platformKey)?.keyId],
    [401, null, null],
  ])
  expectNothingPlanted()
})
