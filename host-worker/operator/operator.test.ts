import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readKey } from '../../domain/access/api-key.ts'
import { openTestOperator } from '../../test/support/operator.ts'
import { runOperator } from './run-operator.ts'

const directory = mkdtempSync(join(tmpdir(), 'operator-test-'))
const state = join(directory, 'state')
const { run: operator, database: openDatabase, close } = openTestOperator(state)

beforeAll(() => {
  vi.stubEnv('STATE_DIR', state)
})
afterAll(async () => {
  await close()
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

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

  it('issues keys with a label, a scope, an end and a rate, lists them, and replaces them', async () => {
    await operator('org', 'create', '--id', 'limited', '--name', 'Limited')
    const flags = ['--label', 'Nightly sync', '--scope', 'read', '--expires', '2999-01-01', '--rate', '60']
    const issued = await operator('key', 'issue', '--org', 'limited', ...flags)
    const keyId = readKey(issued.stdout.trimEnd())?.keyId ?? ''
    const rest = 'read {2}2999-01-01T00:00:00.000Z {2}- {2}60 {2}Nightly sync'
    const lines = async () => (await operator('key', 'list', '--org', 'limited')).stdout.trimEnd().split('\n')
    expect(await lines()).toEqual([
      expect.stringMatching(new RegExp(`^${keyId} {2}active {2}\\S+Z {2}- {2}current {2}${rest}$`)),
    ])

    const rotated = await operator('key', 'rotate', keyId, '--overlap', '7d')
    const successor = readKey(rotated.stdout.trimEnd())
    expect(rotated).toMatchObject({ code: 0, stdout: `${successor?.text ?? ''}\n` })
    const [, endsAt = ''] = /ends at (\S+Z)\. Its successor is \w{12}\.\n$/.exec(rotated.stderr) ?? []
    const inAWeekMs = Date.parse(endsAt) - Date.now()
    expect(inAWeekMs).toBeGreaterThan(6 * 86_400_000)
    expect(inAWeekMs).toBeLessThanOrEqual(7 * 86_400_000)
    expect(await lines()).toEqual([
      expect.stringMatching(new RegExp(`^${keyId} {2}active .* {2}read {2}${endsAt} {2}- {2}60`)),
      expect.stringMatching(new RegExp(`^${successor?.keyId ?? ''} {2}active .* ${rest}$`)),
    ])
    const again = await operator('key', 'rotate', keyId, '--overlap', '7d')
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: `The key ${keyId} was replaced before. Its successor is ${successor?.keyId ?? ''}.\n`,
    })
    for (const id of [keyId, successor?.keyId ?? ''])
      expect((await operator('key', 'revoke', id)).code).toBe(0)
  })

  it.each([
    ['--expires', '2020-01-01T00:00:00Z', '--expires must be in the future'],
    ['--expires', 'tomorrow', '--expires must be an ISO 8601 instant with an explicit offset'],
    ['--scope', 'write', '--scope must be one of read, send, all'],
    ['--rate', '0', '--rate must be a whole number of requests a minute from 1 to 10000'],
    ['--rate', 'many', '--rate must be a whole number of requests a minute from 1 to 10000'],
    ['--label', '', '--label must be 1 to 100 characters'],
  ])('refuses a key with %s %j in one sentence', async (flag, value, sentence) => {
    const { code, stdout, stderr } = await operator('key', 'issue', '--org', 'acme', flag, value)
    expect([code, stdout, stderr.startsWith(sentence)]).toEqual([2, '', true])
  })

  it.each([
    [['key', 'rotate', 'nothing', '--overlap', '7d'], 1, 'There is no key nothing.'],
    [['key', 'rotate', 'nothing'], 2, '--overlap is missing'],
    [
      ['key', 'rotate', 'nothing', '--overlap', '7'],
      2,
      '--overlap must be a number of minutes, hours or days',
    ],
    [['key', 'rotate', '--overlap', '7d'], 2, 'KEYID is missing'],
    [['key', 'issue', '--platform', '--scope', 'read'], 2, '--scope of a platform key must be send or all'],
  ])('%j is refused in one sentence', async (args, code, sentence) => {
    const refused = await operator(...args)
    expect([refused.code, refused.stdout, refused.stderr.startsWith(sentence)]).toEqual([code, '', true])
  })

  it('tells the root secret of keys, and how many are left under the previous one', async () => {
    const { stdout } = await operator('key', 'list', '--org', 'acme')
    expect(stdout).toMatch(/^\w{12} {2}revoked {2}\S+Z {2}\S+Z {2}current {2}all(?: {2}-){4}\n$/)
    await operator('org', 'create', '--id', 'rotated', '--name', 'Rotated')
    const issued = readKey((await operator('key', 'issue', '--org', 'rotated')).stdout.trimEnd())
    const before = await operator('secrets', 'status')
    expect(before).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(before.stdout)).toEqual({
      current: { keys: 1, formPasswords: 0 },
      previous: { keys: 0, formPasswords: 0 },
    })
    const path = join(state, 'secrets.env')
    const original = readFileSync(path, 'utf8')
    const root = /^ROOT_SECRET=(\S+)$/m.exec(original)?.[1] ?? ''
    writeFileSync(path, `ROOT_SECRET=${'A'.repeat(42)}E\nROOT_SECRET_PREVIOUS=${root}\n`)
    expect((await operator('key', 'list', '--org', 'rotated')).stdout).toMatch(
      /^\w{12} {2}active {2}\S+Z {2}- {2}previous {2}all(?: {2}-){4}\n$/,
    )
    const during = await operator('secrets', 'status')
    expect(JSON.parse(during.stdout)).toEqual({
      current: { keys: 0, formPasswords: 0 },
      previous: { keys: 1, formPasswords: 0 },
    })
    expect(during.stderr).toBe(
      `Under the previous root secret: key ${issued?.keyId ?? ''} of organization rotated.\n`,
    )
    writeFileSync(path, `ROOT_SECRET=${'A'.repeat(42)}E\n`)
    expect((await operator('key', 'list', '--org', 'rotated')).stdout).toMatch(
      /- {2}[\w-]{8} {2}all(?: {2}-){4}\n$/,
    )
    expect(await operator('secrets', 'status')).toMatchObject({
      code: 0,
      stdout: '{"current":{"keys":0,"formPasswords":0},"previous":{"keys":0,"formPasswords":0}}\n',
      stderr: 'Under neither root secret, so they do not work: keys 1, form passwords 0.\n',
    })
    writeFileSync(path, original)
    expect((await operator('key', 'revoke', issued?.keyId ?? '')).code).toBe(0)
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

it('warns of weak forms, of those that send text messages only where it can see automations', async () => {
  const fields = [{ id: 'email', type: 'email', label: 'E', required: true, contactField: 'email' }]
  const common = { name: 'F', isPublished: true, notificationEmails: [], fields }
  const lines = [
    { ...common, formId: 'texting', password: 'short' },
    { ...common, formId: 'limited', password: 'long enough', submissionLimitPerContact: 1 },
    { ...common, formId: 'paused' },
  ]
  const path = file('weak-forms.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'))
  await operator('org', 'create', '--id', 'texts', '--name', 'Texts')
  const automations = ['texting', 'limited', 'paused'].map((formId) => ({
    automationId: `of-${formId}`,
    name: 'A',
    status: formId === 'paused' ? 'paused' : 'active',
    trigger: { type: 'form_submission', formId },
    steps: [
      { type: 'add_tag', tag: 't' },
      { type: 'send_sms', body: 'Hi' },
    ],
    createdAt: '2026-01-01T00:00:00Z',
  }))
  const ndjson = file('texting.ndjson', automations.map((line) => JSON.stringify(line)).join('\n'))
  expect(await operator('import', 'forms', path, '--org', 'texts')).toMatchObject({ code: 0 })
  expect(await operator('import', 'automations', ndjson, '--org', 'texts')).toMatchObject({ code: 0 })
  const warnings = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await operator('form', 'check', path, ...flags)
    expect([code, stderr]).toEqual([0, ''])
    return stdout.split('\n').map((line) => /password|text message|^\w+/.exec(line)?.[0])
  }
  expect(await warnings()).toEqual(['texting', 'password', 'limited', 'paused', undefined])
  const seen = ['texting', 'password', 'text message', 'limited', 'paused', undefined]
  expect(await warnings('--org', 'texts')).toEqual(seen)
  expect(await warnings('--org', 'acme')).toEqual(seen.filter((word) => word !== 'text message'))
  expect(await operator('form', 'check', path, '--org', 'nobody')).toMatchObject({ code: 1, stdout: '' })
  expect(await operator('form', 'check', path, '--org', '')).toMatchObject({ code: 2, stdout: '' })
})

it('opens the databases once for a command that needs them, and closes them also when it fails', async () => {
  const opened = await openDatabase()
  const calls: string[] = []
  const opener = (name: string) => async (from: string) => {
    calls.push(`${name} ${from}`)
    return { ...opened, close: async () => void calls.push('close') }
  }
  const run = (...args: readonly string[]) => {
    const silent = { out: () => undefined, note: () => undefined }
    return runOperator(args, silent, { local: opener('local'), remote: opener('remote') })
  }
  expect(await run('key', 'list', '--platform')).toBe(0)
  expect(await run('org', 'show', 'nobody', '--remote')).toBe(1)
  expect(await run('org', 'show', '--help')).toBe(0)
  expect(calls).toEqual([`local ${state}`, 'close', `remote ${state}`, 'close'])
})

it(
  'writes nothing but the result to standard output, and what it did is there for the next process',
  { timeout: 60_000 },
  async () => {
    const main = join(import.meta.dirname, 'main.ts')
    const key = execFileSync(process.execPath, [main, 'key', 'issue', '--platform'], { encoding: 'utf8' })
    expect(key).toMatch(/^pk_live_\w+\n$/)
    const keyId = readKey(key.trimEnd())?.keyId ?? ''
    expect((await operator('key', 'list', '--platform')).stdout).toMatch(new RegExp(`^${keyId} .*active`))
  },
)
