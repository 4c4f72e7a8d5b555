import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { GatewayError } from './errors.ts'
import { createAuthenticator, type SignedRequest } from './request.ts'

const START_MS = Date.parse('2026-06-01T00:00:00.000Z')
const body = Buffer.from('{}')

function signed(
  secret: string,
  timestampMs: number,
  nonceNumber: number,
  of: Uint8Array = body,
): SignedRequest {
  const nonce = nonceNumber.toString(16).padStart(32, '0')
  const hash = createHash('sha256').update(of).digest('hex')
  // Written out rather than taken from the protocol, so that a change of the protocol fails this test.
  const text = `v1\nPOST\n/v1/read\n${timestampMs}\n${nonce}\n${hash}`
  const signature = `v1=${createHmac('sha256', secret).update(text).digest('hex')}`
  return { method: 'POST', path: '/v1/read', timestamp: String(timestampMs), nonce, signature, body: of }
}

function open(noncesMax = 100, secrets = ['current', 'previous']) {
  const clock = { nowMs: START_MS }
  const authenticate = createAuthenticator({ secrets, nowMs: () => clock.nowMs, noncesMax })
  const codeOf = (request: SignedRequest): string => {
    try {
      authenticate(request)
      return 'ok'
    } catch (error) {
      return error instanceof GatewayError ? error.code : String(error)
    }
  }
  return { clock, codeOf }
}

it('accepts a request signed by either secret, once', () => {
  const { codeOf } = open()
  const request = signed('current', START_MS, 1)
  expect(codeOf(request)).toBe('ok')
  expect(codeOf(request)).toBe('nonce_used')
  expect(codeOf(signed('previous', START_MS, 2))).toBe('ok')
  expect(codeOf(signed('other', START_MS, 3))).toBe('signature_wrong')
})

it('refuses whatever was changed after signing', () => {
  const { codeOf } = open()
  const request = signed('current', START_MS, 1)
  const { signature } = request
  const changed: readonly SignedRequest[] = [
    { ...request, body: Buffer.from('{ }') },
    { ...request, method: 'GET' },
    { ...request, path: '/health' },
    { ...request, timestamp: String(START_MS + 1) },
    { ...request, nonce: '2'.padStart(32, '0') },
    { ...request, signature: `${signature?.slice(0, -1) ?? ''}${signature?.endsWith('0') ? '1' : '0'}` },
    { ...request, signature: signature?.slice(3) ?? '' },
    { ...request, signature: `v2=${signature?.slice(3) ?? ''}` },
    { ...request, signature: '' },
    { ...request, nonce: '' },
    { ...request, nonce: 'A'.repeat(32) },
    { ...request, timestamp: '' },
    { ...request, timestamp: '1e15' },
    { ...request, timestamp: `${START_MS}.0` },
  ]
  for (const each of changed) expect(codeOf(each)).toBe('signature_wrong')
  for (const name of ['timestamp', 'nonce', 'signature']) {
    expect(codeOf({ ...request, [name]: null })).toBe('signature_missing')
  }
  // The refused requests did not use up the nonce.
  expect(codeOf(request)).toBe('ok')
})

it('accepts a minute of difference between the clocks and no more', () => {
  const { clock, codeOf } = open()
  clock.nowMs = START_MS + 3_600_000
  const old = (ageMs: number, nonce: number) => codeOf(signed('current', clock.nowMs - ageMs, nonce))
  expect(old(60_000, 1)).toBe('ok')
  expect(old(60_001, 2)).toBe('timestamp_outside_window')
  expect(old(-60_000, 3)).toBe('ok')
  expect(old(-60_001, 4)).toBe('timestamp_outside_window')
})

it('accepts nothing that was signed before it started, because it may have been seen by the run before', () => {
  const { codeOf } = open()
  expect(codeOf(signed('current', START_MS - 1, 1))).toBe('timestamp_outside_window')
})

it('remembers a request for as long as it could be replayed', () => {
  const { clock, codeOf } = open()
  const request = signed('current', START_MS + 60_000, 1)
  expect(codeOf(request)).toBe('ok')
  for (const laterMs of [1, 60_000, 119_999, 120_000]) {
    clock.nowMs = START_MS + laterMs
    expect(codeOf(request)).toBe('nonce_used')
  }
  clock.nowMs = START_MS + 120_001
  expect(codeOf(request)).toBe('timestamp_outside_window')
})

it('refuses rather than forgets when too many requests are remembered, and only signed ones are', () => {
  const { clock, codeOf } = open(3)
  for (const nonce of [1, 2, 3]) expect(codeOf(signed('other', START_MS, nonce))).toBe('signature_wrong')
  for (const nonce of [1, 2, 3]) expect(codeOf(signed('current', START_MS, nonce))).toBe('ok')
  expect(codeOf(signed('current', START_MS, 4))).toBe('busy')
  expect(codeOf(signed('current', START_MS, 1))).toBe('nonce_used')
  clock.nowMs = START_MS + 120_001
  expect(codeOf(signed('current', clock.nowMs, 5))).toBe('ok')
})
