import { beforeEach, describe, expect, it } from 'vitest'
import { readKey, readOperatorKey } from '../../domain/access/keys.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { openTestService } from '../../test/support/services/service.ts'
import {
  operate,
  openTestOperator,
  reachOf,
  TEST_URL,
  type TestOperator,
} from '../../test/support/services/operator/operator.ts'

let test: TestOperator
const operator: TestOperator['run'] = (...args) => test.run(...args)

beforeEach(async () => {
  test = await openTestOperator()
  await operator('org', 'create', '--id', 'acme', '--name', 'Acme')
})

const read = (key: string) => test.service.send('/api/v1/contacts', { key })

describe('a tenant key', () => {
  it('is printed alone, listed by its id, and fails as soon as it is revoked', async () => {
    const issued = await operator('key', 'issue', '--org', 'acme')
    const key = readKey(issued.stdout.trimEnd())
    expect(issued).toEqual({ code: 0, stdout: `${key?.text ?? ''}\n`, stderr: '' })
    const keyId = key?.keyId ?? ''
    expect((await operator('key', 'list', '--org', 'acme')).stdout).toMatch(new RegExp(`^${keyId} .*active`))
    expect((await read(key?.text ?? '')).status).toBe(200)
    expect(await operator('key', 'revoke', keyId)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Revoked ${keyId}.\n`,
    })
    expect((await read(key?.text ?? '')).status).toBe(401)
    expect((await operator('key', 'list', '--org', 'acme')).stdout).toMatch(new RegExp(`^${keyId} .*revoked`))
    expect(await operator('key', 'revoke', 'nothing')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no key nothing. It was looked for at https://service.example.\n',
    })
  })

  it('has the label, scope, end and rate that it was given, and so has its successor', async () => {
    const flags = ['--label', 'nightly sync', '--scope', 'read', '--expires', '2030-01-31', '--rate', '60']
    const { stdout } = await operator('key', 'issue', '--org', 'acme', ...flags)
    const attributes = /read {2}2030-01-31T00:00:00\.000Z {2}- {2}60 {2}nightly sync {2}\w{12}$/m
    expect((await operator('key', 'list', '--org', 'acme')).stdout).toMatch(attributes)
    const keyId = readKey(stdout.trimEnd())?.keyId ?? ''
    const rotated = await operator('key', 'rotate', keyId, '--overlap', '7d')
    const successor = readKey(rotated.stdout.trimEnd())?.keyId ?? ''
    expect(rotated.stderr).toMatch(
      new RegExp(`^${keyId} ends at \\S+Z\\. Its successor is ${successor}\\.\n$`),
    )
    const listed = (await operator('key', 'list', '--org', 'acme')).stdout.split('\n')
    expect(listed.find((line) => line.startsWith(successor))).toMatch(attributes)
    expect(await operator('key', 'rotate', keyId, '--overlap', '7d')).toMatchObject({ code: 1, stdout: '' })
    expect(await operator('key', 'rotate', 'nothing', '--overlap', '7d')).toMatchObject({
      code: 1,
      stdout: '',
    })
  })

  it.each([
    ['--expires', '2020-01-01T00:00:00Z', '--expires must be in the future'],
    ['--expires', 'tomorrow', '--expires must be an ISO 8601 instant with an explicit offset'],
    ['--scope', 'write', '--scope must be one of read, send, all'],
    ['--rate', '0', '--rate must be a whole number of requests a minute from 1 to 10000'],
    ['--rate', 'many', '--rate must be a whole number of requests a minute from 1 to 10000'],
    ['--label', '', '--label is empty'],
  ])('is refused with %s %j in one sentence', async (flag, value, sentence) => {
    const { code, stdout, stderr } = await operator('key', 'issue', '--org', 'acme', flag, value)
    expect([code, stdout, stderr.startsWith(sentence)]).toEqual([2, '', true])
  })

  it('is issued to nobody who is not there', async () => {
    for (const args of [
      ['key', 'issue'],
      ['key', 'list'],
    ])
      expect(await operator(...args, '--org', 'nobody')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'There is no organization nobody. It was looked for at https://service.example.\n',
      })
  })
})

it('a platform key is issued, listed apart and revoked', async () => {
  const { stdout } = await operator('key', 'issue', '--platform')
  expect(stdout).toMatch(/^pk_live_\w+\n$/)
  const keyId = readKey(stdout.trimEnd())?.keyId ?? ''
  expect((await operator('key', 'list', '--platform')).stdout).toMatch(new RegExp(`^${keyId} .*active`))
  expect((await operator('key', 'list', '--org', 'acme')).stdout).toBe('')
  expect((await operator('key', 'revoke', keyId)).code).toBe(0)
})

describe('an operator key', () => {
  const as = (key: string, ...args: readonly string[]) => test.run(...args, '--key', key)

  it('may do what its role allows, until it is revoked', async () => {
    const issued = await operator('key', 'issue', '--operator', 'ben', '--role', 'support')
    const key = readOperatorKey(issued.stdout.trimEnd())
    expect(issued).toEqual({ code: 0, stdout: `${key?.text ?? ''}\n`, stderr: '' })
    const { text = '', keyId = '' } = key ?? {}
    expect(await as(text, 'org', 'list')).toMatchObject({ code: 0, stdout: 'acme  Acme\n' })
    expect(await as(text, 'key', 'issue', '--org', 'acme')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'This needs an operator key with the role admin; this key has the role support.\n',
    })
    expect((await operator('key', 'list', '--operators')).stdout).toMatch(
      new RegExp(`^${keyId} {2}active .* support .* ben$`, 'm'),
    )
    expect((await operator('key', 'revoke', keyId)).code).toBe(0)
    expect(await as(text, 'org', 'list')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The service at \S+ does not accept this operator key[^\n]*\.\n$/,
      ) as string,
    })
    expect((await operator('audit')).stdout).not.toContain('"action":"key.revoke"')
  })

  it('ends with its issuer at the latest, shows who that was, and takes with it what it issued', async () => {
    const issue = ['key', 'issue', '--operator', 'eve', '--role', 'admin']
    const issuedBy = async (key: string, ...args: readonly string[]) => {
      const { stdout, stderr } = await as(key, ...issue, ...args)
      const text = stdout.trimEnd()
      return { text, stderr, keyId: readOperatorKey(text)?.keyId ?? '' }
    }
    const soon = '2026-06-15T13:00:00.000Z'
    const parent = await issuedBy(test.key, '--expires', soon)
    expect(parent.stderr).toBe('')
    const child = await issuedBy(parent.text)
    expect(child.stderr).toBe(`It ends at ${soon}, as the key that issued it does.\n`)
    expect(await as(parent.text, ...issue, '--expires', '2030-01-01')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`--expires must not be after ${soon}`) as string,
    })
    const listed = (await operator('key', 'list', '--operators')).stdout
    expect(listed).toMatch(new RegExp(`^${child.keyId} .*  ${parent.keyId}  eve$`, 'm'))
    expect(listed).toMatch(/  root  admin$/m)
    const tenant = readKey((await as(child.text, 'key', 'issue', '--org', 'acme')).stdout.trimEnd())
    const platform = readKey((await as(parent.text, 'key', 'issue', '--platform')).stdout.trimEnd())
    expect((await operator('key', 'list', '--org', 'acme')).stdout).toMatch(
      new RegExp(`^${tenant?.keyId ?? ''} .*  ${child.keyId}$`, 'm'),
    )
    const revoked = await operator('key', 'revoke', parent.keyId, '--descendants')
    expect([revoked.code, revoked.stdout.trimEnd().split('\n').sort()]).toEqual([
      0,
      [
        ...[parent.keyId, child.keyId].map((keyId) => `${keyId}  admin  eve`),
        `${tenant?.keyId ?? ''}  tenant  acme`,
        `${platform?.keyId ?? ''}  platform`,
      ].sort(),
    ])
    expect((await read(tenant?.text ?? '')).status).toBe(401)
    expect(revoked.stderr).toBe(`Revoked ${parent.keyId} and every key that descends from it.\n`)
    expect((await as(child.text, 'org', 'list')).code).toBe(1)
    expect(await operator('key', 'revoke', 'nothing', '--descendants')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no operator key nothing. It was looked for at https://service.example.\n',
    })
  })

  it('that is none is sent nowhere', async () => {
    const tenant = (await operator('key', 'issue', '--org', 'acme')).stdout.trimEnd()
    const lines = test.service.logLines.length
    for (const key of [tenant, 'ok_live_short', `${test.key}x`])
      expect(await as(key, 'org', 'list')).toMatchObject({ code: 1, stdout: '' })
    expect(test.service.logLines.length).toBe(lines)
  })
})

describe('the root secret', () => {
  const roots = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64url'))
  const [root = '', next = ''] = roots

  const serviceUnder = async (...given: readonly [string, string | null]) => {
    const secrets = await openSecrets(...given)
    const { storage } = test.service
    return openTestService(() => storage, secrets)
  }

  it('issues the first operator key, without being sent, and stands for no other command', async () => {
    const service = await openTestService(
      (clock) => createScratchStorage({ clock }),
      await openSecrets(root, null),
    )
    const seen: string[] = []
    const reach = reachOf(service)
    const host = {
      clock: service.clock,
      environment: { OPERATOR_URL: TEST_URL, ROOT_SECRET: root, XDG_CONFIG_HOME: '/nonexistent' },
      reach: async (request: Request) => {
        seen.push(...request.headers.values(), await request.clone().text())
        return reach(request)
      },
    }
    const issue = ['key', 'issue', '--operator', 'ada', '--role', 'admin']
    const { code, stdout } = await operate(issue, host)
    expect([code, readOperatorKey(stdout.trimEnd())]).toEqual([0, expect.anything()])
    expect(seen.join()).not.toContain(root)
    expect(await operate([...issue, '--key', stdout.trimEnd()], host)).toMatchObject({ code: 0 })
    for (const args of [
      ['org', 'list'],
      ['key', 'issue', '--org', 'acme'],
    ])
      expect(await operate(args, host)).toMatchObject({ code: 1, stdout: '' })
    const wrong = { ...host, environment: { ...host.environment, ROOT_SECRET: next } }
    expect(await operate(issue, wrong)).toMatchObject({ code: 1, stdout: '' })
    const unusable = { ...host, environment: { ...host.environment, ROOT_SECRET: 'short' } }
    expect((await operate(issue, unusable)).stderr).toMatch(/^ROOT_SECRET must be/)
  })

  it('is rotated: what is used moves, what is left is named, and the end is told', async () => {
    await test.service.revokeOperatorKey(test.key)
    const before = await serviceUnder(root, null)
    const tenantKey = await before.addOrganization('rotated')
    const operatorKey = await before.addOperatorKey('admin')
    const under = (service: typeof before, ...args: readonly string[]) =>
      operate([...args, '--url', TEST_URL, '--key', operatorKey], { reach: reachOf(service) })
    const counts = (keys: number) => ({ keys, formPasswords: 0 })
    const during = await serviceUnder(next, root)
    // This call uses the operator key, whose hash thereby moves to the new root secret. The tenant key has not been
    // used yet.
    await under(during, 'org', 'list')
    await during.settled()
    const halfway = await under(during, 'secrets', 'status')
    expect(JSON.parse(halfway.stdout)).toEqual({ current: counts(1), previous: counts(1) })
    expect(halfway.stderr).toMatch(/^Under the previous root secret: key \w+ of organization rotated\.\n/)
    expect((await under(during, 'key', 'list', '--org', 'rotated')).stdout).toContain('  previous  ')
    expect((await during.send('/api/v1/contacts', { key: tenantKey })).status).toBe(200)
    await during.settled()
    expect(JSON.parse((await under(during, 'secrets', 'status')).stdout)).toEqual({
      current: counts(2),
      previous: counts(0),
    })
    const after = await serviceUnder(next, null)
    expect((await after.send('/api/v1/contacts', { key: tenantKey })).status).toBe(200)
    expect((await under(after, 'key', 'list', '--org', 'rotated')).stdout).toContain('  current  ')
  })
})
