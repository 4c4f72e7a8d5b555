import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readKey } from '../../domain/tenancy/api-key.ts'
import { runOperator } from './run-operator.ts'

const directory = mkdtempSync(join(tmpdir(), 'operator-test-'))
const state = join(directory, 'state')

beforeAll(() => {
  vi.stubEnv('STATE_DIR', state)
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function operator(...args: readonly string[]): Promise<Result> {
  let stdout = ''
  let stderr = ''
  const code = await runOperator(args, {
    out: (line) => (stdout += `${line}\n`),
    note: (line) => (stderr += `${line}\n`),
  })
  return { code, stdout, stderr }
}

function file(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

describe('help', () => {
  it.each([
    [['--help'], /org create[^]*outbox retry/],
    [['-h'], /org create/],
    [['help'], /org create/],
    [['key', '--help'], /^Usage: .* COMMAND[^]*key issue[^]*key revoke/],
    [['--help', 'key'], /key issue/],
    [['help', 'outbox'], /outbox list/],
    [['key', 'issue', '--help'], /^Usage: .* key issue/],
    [['help', 'import'], /^Usage: .* import KIND FILE/],
  ])('%j', async (args, saying) => {
    const { code, stdout, stderr } = await operator(...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(saying)
  })

  it('of a group has nothing of another', async () => {
    expect((await operator('key', '--help')).stdout).not.toContain('outbox')
  })

  it.each([
    [['key'], /^Usage: [^]*key issue/],
    [[], /^Usage: [^]*org create/],
    [['nonsense', '--help'], /^Unknown command: nonsense\n[^]*org create/],
    [['key', 'nonsense'], /^Unknown command: key nonsense\n[^]*key issue/],
    [['constructor'], /^Unknown command: constructor/],
  ])('is told of when %j names no command', async (args, saying) => {
    const { code, stdout, stderr } = await operator(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(saying)
  })
})

describe('organizations and keys', () => {
  beforeAll(async () => {
    expect(await operator('org', 'create', '--id', 'acme', '--name', 'Acme', '--slug', 'acme')).toMatchObject(
      {
        code: 0,
        stdout: '',
      },
    )
  })

  it('keeps what the flags do not name', async () => {
    const flags = ['--analytics', 'yes', '--pos-source', 'odbc_second:north', '--sms-number', '+12125550100']
    expect((await operator('org', 'create', '--id', 'acme', ...flags)).code).toBe(0)
    expect(JSON.parse((await operator('org', 'show', 'acme')).stdout)).toEqual({
      organizationId: 'acme',
      name: 'Acme',
      slug: 'acme',
      parentId: null,
      smsNumber: '+12125550100',
      phoneCountry: 'US',
      posSource: { kind: 'odbc_second', tenant: 'north' },
      billingEvents: true,
      analytics: true,
      retentionOfferAnalytics: false,
    })
  })

  it('refuses a slug that is taken and a parent that is missing', async () => {
    const taken = await operator('org', 'create', '--id', 'acme2', '--name', 'Acme 2', '--slug', 'acme')
    expect(taken).toMatchObject({ code: 1, stdout: '', stderr: 'Another organization has the slug acme.\n' })
    const orphan = await operator('org', 'create', '--id', 'acme2', '--name', 'Acme 2', '--parent', 'nobody')
    expect(orphan).toMatchObject({ code: 1, stdout: '' })
  })

  it('prints a key alone, lists it by its id and revokes it', async () => {
    const issued = await operator('key', 'issue', '--org', 'acme')
    const key = readKey(issued.stdout.trimEnd())
    expect(issued).toMatchObject({ code: 0, stdout: `${key?.text ?? ''}\n`, stderr: '' })
    const keyId = key?.keyId ?? ''
    expect((await operator('key', 'list', '--org', 'acme')).stdout).toMatch(new RegExp(`^${keyId} .*active`))
    expect((await operator('key', 'revoke', keyId)).code).toBe(0)
    expect((await operator('key', 'list', '--org', 'acme')).stdout).toMatch(new RegExp(`^${keyId} .*revoked`))
    expect(await operator('key', 'revoke', 'nothing')).toMatchObject({ code: 1, stdout: '' })
  })

  it('keeps the root secret from other users', () => {
    expect(statSync(join(state, 'secrets.env')).mode & 0o777).toBe(0o600)
  })

  it('imports NDJSON and CSV into the same rows', async () => {
    const site = {
      name: 'N, "best"',
      status: 'active',
      timezone: 'UTC',
      address: { city: 'Köln' },
      latitude: 50.9,
    }
    const line = { siteId: 's1', ...site, createdAt: '2026-01-01T00:00:00Z' }
    const ndjson = file('sites.ndjson', JSON.stringify(line))
    expect(await operator('import', 'sites', ndjson, '--org', 'acme')).toMatchObject({
      code: 0,
      stdout: 'sites: 1 read, 1 changed, 0 unchanged\n',
    })
    const csv = file(
      'sites.csv',
      '\u{FEFF}siteId,name,status,timezone,address,latitude,phone,createdAt\r\n' +
        's1,"N, ""best""",active,UTC,"{""city"":""Köln""}",50.9,,2026-01-01T00:00:00Z\r\n',
    )
    expect((await operator('import', 'sites', csv, '--org', 'acme')).stdout).toBe(
      'sites: 1 read, 0 changed, 1 unchanged\n',
    )
  })

  it('names a bad line on standard error and imports nothing', async () => {
    const path = file('bad.ndjson', '{"siteId":"s2","naem":"x"}\n')
    const result = await operator('import', 'sites', path, '--org', 'acme')
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toContain(`${path}:1: naem is not a field of sites`)
    expect(result.stderr).toContain('Nothing was imported.')
  })
})

describe('being called wrongly', () => {
  it.each([
    [[]],
    [['nonsense']],
    [['org', 'create', '--name', 'x']],
    [['org', 'create', '--id', '_x', '--name', 'x']],
    [['org', 'create', '--id', 'x'.repeat(65), '--name', 'x']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--slug', 'a--b']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--slug', 'contact']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--sms-number', '2125550100']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--phone-country', 'XX']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--pos-source', 'oracle:1']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--pos-source', 'odbc_shared:']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--pos-source', 'legacy_vendor: x']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--analytics', 'true']],
    [['key', 'issue']],
    [['key', 'issue', '--org', 'a', '--platform']],
    [['key', 'revoke', 'a', 'b']],
    [['import', 'nothing', 'file', '--org', 'acme']],
    [['import', 'sites', '--org', 'acme']],
  ])('%j: exit code 2, on standard error', async (args) => {
    const { code, stdout, stderr } = await operator(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: ')
  })
})

it('says of each form whether it can be submitted here, without a database', async () => {
  const common = { name: 'F', isPublished: true, notificationEmails: [] }
  const lines = [
    { ...common, formId: 'plain', fields: [{ id: 'apiKey', type: 'short_text', label: 'A' }] },
    { ...common, formId: 'hosted', organizationId: 'x', fields: [{ id: 'f', type: 'file', label: 'F' }] },
  ]
  const path = file('forms.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'))
  const good = await operator('form', 'check', path)
  expect(good.code).toBe(0)
  expect(good.stdout).toMatch(
    /^plain: can be submitted here\n {2}warning: .*\nhosted: must be hosted\n {2}\S/,
  )
  const bad = await operator('form', 'check', file('no-forms.ndjson', '{"formId":"a b"}\n'))
  expect(bad.code).toBe(1)
  expect(bad.stderr).toMatch(/^line 1: formId /)
})

it('writes nothing but the result to standard output', () => {
  const main = join(import.meta.dirname, 'main.ts')
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [main, ...args], { encoding: 'utf8' })
  expect(run('key', 'issue', '--platform')).toMatch(/^pk_live_\w+\n$/)
})
