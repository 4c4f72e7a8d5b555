import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readKey, readOperatorKey } from '../../domain/access/keys.ts'
import {
  openTestOperator,
  TEST_URL,
  type TestOperator,
} from '../../test/support/services/operator/operator.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

const file = scratchFiles()
let test: TestOperator
const operator: TestOperator['run'] = (...args) => test.run(...args)

beforeAll(async () => {
  test = await openTestOperator()
  const created = await operator('org', 'create', '--id', 'acme', '--name', 'Acme', '--slug', 'acme')
  expect(created).toEqual({ code: 0, stdout: '', stderr: 'Created acme.\n' })
})
afterAll(() => {
  expect(test.service.errors).toEqual([])
})

describe('help', () => {
  it.each([
    [['--help'], /org create[^]*outbox retry[^]*audit/],
    [['-h'], /org create/],
    [['help'], /org create/],
    [['key', '--help'], /^Usage: .* COMMAND[^]*key issue[^]*key revoke/],
    [['--help', 'key'], /key issue/],
    [['help', 'outbox'], /outbox list/],
    [['key', 'issue', '--help'], /^Usage: .* key issue --org ID \| --platform \| --operator NAME \[/],
    [['key', 'revoke', '-h'], /Calls:\n {2}POST \/operator\/v1\/keys\/\{keyId\}\/revoke/],
    [
      ['help', 'import'],
      /^Usage: .* import KIND \[FILE\] \[PROBLEMS\] \[--org ID\] \[--format ndjson\|csv\]/,
    ],
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
    [['nonsense', '--help'], /^There is no command "nonsense"\.\nFor all commands: npm run/],
    [['constructor'], /^There is no command "constructor"/],
  ])('is told of when %j names no command', async (args, saying) => {
    const { code, stdout, stderr } = await operator(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(saying)
  })
})

describe('organizations', () => {
  it('keep what the flags do not name', async () => {
    const flags = [
      '--analytics',
      'yes',
      '--pos-source',
      'odbc_second:north',
      '--sms-number',
      '+12125550100',
      '--automation-hourly',
      '40',
    ]
    expect((await operator('org', 'create', '--id', 'acme', ...flags)).stderr).toBe(
      [
        'Updated acme.',
        '  sms-number: none → +12125550100',
        '  pos-source: none → odbc_second:north',
        '  analytics: no → yes',
        '  automation-hourly: 500 → 40',
        '',
      ].join('\n'),
    )
    expect((await operator('org', 'create', '--id', 'acme', ...flags)).stderr).toBe(
      'Nothing has changed: acme is as it was.\n',
    )
    expect(JSON.parse((await operator('org', 'show', 'acme')).stdout)).toMatchObject({
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
      automationHourly: 40,
    })
  })

  it('lose a setting by an empty flag, and are listed', async () => {
    expect((await operator('org', 'create', '--id', 'acme', '--sms-number', '')).code).toBe(0)
    expect((await operator('org', 'show', 'acme')).stdout).toContain('"smsNumber": null')
    expect((await operator('org', 'list')).stdout).toContain('acme  Acme\n')
  })

  it.each(['none', ''])('are untied from their parent by --parent %j', async (word) => {
    const parentOf = async () =>
      (JSON.parse((await operator('org', 'show', 'kid')).stdout) as { readonly parentId: unknown }).parentId
    await operator('org', 'create', '--id', 'kid', '--name', 'Kid', '--parent', 'acme')
    expect(await parentOf()).toBe('acme')
    expect((await operator('org', 'create', '--id', 'kid', '--parent', word)).code).toBe(0)
    expect(await parentOf()).toBe(null)
  })

  it.each(['nobody', '.', '..', '../keys', 'a/b', '%2e%2e', ''])('of id %j are not there', async (id) => {
    const { code, stdout, stderr } = await operator('org', 'show', id)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^There is no[^\n]*\.\n$/)
  })
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
  expect(await operator('import', 'sites', ndjson, '--org', 'acme')).toEqual({
    code: 0,
    stdout: 'sites: 1 read, 1 changed, 0 unchanged\n',
    stderr: '',
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

it.each(['sites', 'pos-customers'])('imports no %s into an organization that is not there', async (kind) => {
  const { code, stdout, stderr } = await operator(
    ...['import', kind, file('one.ndjson', '{}\n'), '--org', 'nobody'],
  )
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`There is no organization nobody. It was looked for at ${TEST_URL}.\n`)
})

describe('being called wrongly', () => {
  it.each([
    [['org', 'create', '--name', 'x']],
    [['org', 'create', '--id', 'new']],
    [['org', 'create', '--id', '_x', '--name', 'x']],
    [['org', 'create', '--id', 'x'.repeat(65), '--name', 'x']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--slug', 'a--b']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--slug', 'contact']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--sms-number', '2125550100']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--phone-country', 'XX']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--pos-source', 'oracle:1']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--pos-source', 'odbc_shared:']],
    [['org', 'create', '--id', 'x', '--name', 'x', '--pos-source', 'legacy_vendor: x']],
    [['key', 'issue']],
    [['key', 'issue', '--org', '']],
    [['key', 'issue', '--org', 'a', '--platform']],
    [['key', 'issue', '--org', 'a', '--role', 'admin']],
    [['key', 'issue', '--operator', 'ada']],
    [['key', 'issue', '--operator', 'ada', '--role', 'admin', '--scope', 'read']],
    [['key', 'issue', '--operator', 'ada', '--role', 'admin', '--expires', '2001-01-01T00:00:00Z']],
    [['key', 'issue', '--platform', '--scope', 'read']],
    [['key', 'rotate', 'x', '--overlap', 'soon']],
    [['key', 'revoke', 'a', 'b']],
    [['import', 'sites', '--org', 'acme']],
    [['import', 'sites', 'file']],
    [['outbox', 'list', '--org', '']],
    [['audit', '--org', 'a', '--org', 'b']],
    [['org', 'list', '--url', 'https://a.example', '--remote']],
  ])('%j: exit code 2, on standard error', async (args) => {
    const { code, stdout, stderr } = await operator(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^Usage: |\nFor (?:its usage|all commands): npm run -s operator -- help/)
  })

  it.each([
    [['form', 'list', '--org'], '--org needs a value.\n'],
    [
      ['form', 'list', '--org', '--json'],
      '--org needs a value. One that begins with "-" is given as --org=VALUE.\n',
    ],
    [['form', 'list', '--org', 'a', '--json=yes'], '--json takes no value.\n'],
  ])('%j is told what is wrong, and the nearest word', async (args, sentence) => {
    const { code, stderr } = await operator(...args)
    expect([code, stderr.slice(0, sentence.length)]).toEqual([2, sentence])
  })
})

it('the audit has what was changed and what was refused, a JSON object a line, narrowed by each flag', async () => {
  test.service.clock.advance(1_000)
  const issued = await operator('key', 'issue', '--org', 'acme')
  const keyId = readKey(issued.stdout.trimEnd())?.keyId ?? ''
  await operator('key', 'revoke', keyId)
  await operator('org', 'create', '--id', 'acme', '--parent', 'nobody')
  const audited = async (...flags: readonly string[]) => {
    const { code, stdout } = await operator('audit', ...flags)
    expect(code).toBe(0)
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }
  const found = (await audited('--org', 'acme')).map(
    ({ action, outcome }) => `${String(action)} ${String(outcome)}`,
  )
  expect(new Set(found.slice(0, 3))).toEqual(
    new Set(['organization.save refused', 'key.revoke done', 'key.issue done']),
  )
  const [revoked] = await audited('--org', 'acme', '--action', 'key.revoke')
  expect(revoked).toMatchObject({ subject: { type: 'key', id: keyId } })
  const ownId = readOperatorKey(test.key)?.keyId ?? ''
  expect(await audited('--operator-key', ownId)).toContainEqual(
    expect.objectContaining({ action: 'key.issue' }),
  )
  expect(await audited('--operator-key', keyId)).toEqual([])
  expect(await audited('--org', 'nobody-else')).toEqual([])
})
