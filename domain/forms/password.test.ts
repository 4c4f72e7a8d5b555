import { describe, expect, it } from 'vitest'
import { fakeRandom, testSecrets } from '../../test/support/runner/fakes.ts'
import { hashFormPassword, verifyFormPassword } from './password.ts'

const wrong = { ok: false, rehash: false }

describe('form passwords', () => {
  it('verify against their own hash only', async () => {
    const secrets = await testSecrets()
    const stored = await hashFormPassword('pässword', secrets, fakeRandom())
    expect(await verifyFormPassword('pässword', stored, secrets)).toEqual({ ok: true, rehash: false })
    expect(await verifyFormPassword('password', stored, secrets)).toEqual(wrong)
    expect(await verifyFormPassword('', stored, secrets)).toEqual(wrong)
  })

  it('say how they were hashed and never how they read', async () => {
    const secrets = await testSecrets()
    const stored = await hashFormPassword('hunter2', secrets, fakeRandom())
    const [algorithm, iterations, version, salt, hash] = stored.split('$')
    expect([algorithm, iterations, version]).toEqual(['pbkdf2-sha256', '100000', secrets.current.version])
    expect([salt?.length, hash?.length]).toEqual([22, 43])
    expect(stored).not.toContain('hunter2')
  })

  it('are salted', async () => {
    const secrets = await testSecrets()
    const random = fakeRandom()
    expect(await hashFormPassword('x', secrets, random)).not.toBe(
      await hashFormPassword('x', secrets, random),
    )
  })

  it('ask for a new hash during a rotation, and fail after it', async () => {
    const stored = await hashFormPassword('x', await testSecrets(1), fakeRandom())
    const rotating = await testSecrets(2, 1)
    expect(await verifyFormPassword('x', stored, rotating)).toEqual({ ok: true, rehash: true })
    expect(await verifyFormPassword('y', stored, rotating)).toEqual(wrong)
    expect(await verifyFormPassword('x', stored, await testSecrets(2))).toEqual(wrong)
  })

  it('ask for a new hash when it took fewer iterations', async () => {
    const secrets = await testSecrets()
    const material = await secrets.current.mac('form-password', new TextEncoder().encode('x'))
    const key = await crypto.subtle.importKey('raw', material, 'PBKDF2', false, ['deriveBits'])
    const salt = new Uint8Array(16)
    const hash = await crypto.subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 5 },
      key,
      256,
    )
    const text = Buffer.from(hash).toString('base64url')
    const stored = `pbkdf2-sha256$5$${secrets.current.version}$${'A'.repeat(22)}$${text}`
    expect(await verifyFormPassword('x', stored, secrets)).toEqual({ ok: true, rehash: true })
  })

  it('fit nothing that cannot be read', async () => {
    const secrets = await testSecrets()
    const stored = await hashFormPassword('x', secrets, fakeRandom())
    const broken = [
      '',
      'x',
      stored.slice(0, -2),
      stored.replace('sha256', 'sha512'),
      stored.replace('$100000$', '$0$'),
    ]
    broken.push(
      stored.replace('$100000$', '$100001$'),
      stored.replace('$100000$', '$9999999$'),
      `${stored}$`,
      ` ${stored}`,
    )
    for (const text of broken) expect(await verifyFormPassword('x', text, secrets), text).toEqual(wrong)
  })
})
