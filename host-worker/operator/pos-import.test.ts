import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PosSourceTie } from '../../ports/organizations.ts'
import { ndjsonBytes, sourceOf } from '../../test/support/data/imports.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { openEmbeddedPos } from './commands/import-into-gateway.ts'
import { importInto } from './commands/import.ts'
import { scratchFiles, scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

const directory = scratchFolder()
const file = scratchFiles(directory)
const state = join(directory, 'state')

const ties = {
  vendor: { kind: 'legacy_vendor', tenant: 't-1' },
  other: { kind: 'legacy_vendor', tenant: 't-2' },
  shared: { kind: 'odbc_shared', tenant: 't-1' },
  second: { kind: 'odbc_second', tenant: 'north' },
} as const satisfies Readonly<Record<string, PosSourceTie>>

let test: TestOperator
const operator: TestOperator['run'] = (...args) => test.run(...args)

beforeAll(async () => {
  vi.stubEnv('POS_GATEWAY_CONFIG', '')
  test = await openTestOperator()
  for (const [id, tie] of Object.entries(ties))
    await operator('org', 'create', '--id', id, '--name', id, '--pos-source', `${tie.kind}:${tie.tenant}`)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** Imports lines, as the command does, into the point-of-sale data of an organization. */
async function imported(kind: string, organizationId: string, ...given: readonly object[]) {
  const transfer = {
    kind,
    format: 'ndjson',
    source: sourceOf(ndjsonBytes(given)),
    onProgress: () => undefined,
  } as const
  return importInto(organizationId, transfer, test.client(state))
}

const accountId = 'a-1'
const occurredAt = '2026-03-01T10:00:00+02:00'

/** A line of each kind, and a change of that line. */
const lines: Readonly<Record<string, readonly [line: object, change: object]>> = {
  'pos-transactions': [
    {
      transactionId: 't-1',
      completedAt: '2026-03-01T10:00:00Z',
      type: 'sale',
      currency: 'USD',
      lineItems: [{ lineId: '1', netAmountCents: 1200 }],
    },
    { lineItems: [{ lineId: '1', netAmountCents: 1201 }] },
  ],
  'pos-customers': [
    { customerId: 'c-1', phone: '(212) 555-0123', licensePlates: ['A', 'B'] },
    { licensePlates: ['A'] },
  ],
  'pos-recurring-accounts': [{ accountId, status: 'active', amountCents: 1999 }, { status: 'unknown' }],
  'pos-billing-events': [{ eventId: 'b-1', accountId, occurredAt, type: 'payment' }, { amountCents: 0 }],
  'pos-status-events': [{ eventId: 's-1', accountId, occurredAt, toStatus: 'active' }, { reason: 'Again' }],
}

describe.each(['vendor', 'shared', 'second'] as const)('the point of sale of %s', (name) => {
  it.each(Object.entries(lines))(
    'takes %s, the same ones again without a change',
    async (kind, [line, change]) => {
      const changedBy = async (given: object) => {
        const outcome = await imported(kind, name, given)
        return outcome.kind === 'imported' ? [outcome.read, outcome.changed] : outcome
      }
      expect(await changedBy(line)).toEqual([1, 1])
      expect(await changedBy(line)).toEqual([1, 0])
      expect(await changedBy({ ...line, ...change })).toEqual([1, 1])
      expect(await changedBy({ ...line, ...change })).toEqual([1, 0])
    },
  )

  it('takes nothing of a file with a bad line in it', async () => {
    const [line] = lines['pos-transactions'] ?? [{}]
    const whole = { ...line, transactionId: 't-8' }
    const outcome = await imported(
      'pos-transactions',
      name,
      { ...line, transactionId: 't-9', totalCents: 1.5 },
      { ...line, transactionId: 't-10', currency: 'usd' },
      { ...line, transactionId: 't-11', completedAt: '2026-03-01T10:00:00' },
      { ...line, transactionId: 't-12', tenantId: 'x' },
      { ...line, transactionId: 't-13', lineItems: [{ lineId: '1', card: '4111' }] },
      whole,
      whole,
    )
    if (outcome.kind !== 'invalid') throw new Error(outcome.kind)
    expect(outcome.problems.map((problem) => [problem.line, problem.field.split('.')[0]])).toEqual([
      [1, 'totalCents'],
      [2, 'currency'],
      [3, 'completedAt'],
      [4, 'tenantId'],
      [5, 'lineItems'],
      [7, 'transactionId'],
    ])
    expect(await imported('pos-transactions', name, whole)).toMatchObject({ changed: 1 })
  })
})

it.each(['vendor', 'shared', 'second'])(
  'refuses a sale with two lines of one id, which a source would merge: %s',
  async (name) => {
    const [line] = lines['pos-transactions'] ?? [{}]
    const twice = [{ lineId: '1' }, { lineId: '1', name: 'second' }]
    const outcome = await imported('pos-transactions', name, {
      ...line,
      transactionId: 't-20',
      lineItems: twice,
    })
    expect(outcome).toMatchObject({
      kind: 'invalid',
      problems: [{ line: 1, field: 'lineItems', message: 'must not have two lines of the same lineId' }],
    })
  },
)

it('keeps the tenants of the vendor apart', async () => {
  const [line] = lines['pos-customers'] ?? [{}]
  const both = ['vendor', 'other'] as const
  for (const name of both)
    expect(
      await imported('pos-customers', name, { ...line, customerId: 'same', firstName: name }),
    ).toMatchObject({ changed: 1 })
  const asked = {
    kind: 'one',
    collection: 'pos-customers',
    select: ['firstName', 'phone'],
    id: 'same',
  } as const
  for (const name of both)
    expect(await test.service.pos.open(ties[name]).one(asked)).toEqual({
      kind: 'row',
      row: { firstName: name, phone: '+12125550123' },
    })
})

describe('what takes no imports says so', () => {
  const open = (tie: typeof ties.shared | typeof ties.second, directory: string | null) => () =>
    openEmbeddedPos(tie, directory)

  it('an organization without a point of sale', async () => {
    await operator('org', 'create', '--id', 'storeless', '--name', 'None')
    expect(await imported('pos-customers', 'storeless', {})).toEqual({
      kind: 'stopped',
      message: 'It has no point of sale.',
    })
  })

  it('a source of the deployment of which nothing is known here', () => {
    expect(open(ties.shared, null)).toThrow('behind an ODBC gateway')
  })

  it('a real data source, and one that the configuration does not have', () => {
    const odbc = { driver: 'odbc', dialect: 'postgresql', connection: 'DSN=shop', currency: 'USD' }
    vi.stubEnv('POS_GATEWAY_CONFIG', file('gateway.json', { sources: [{ kind: 'odbc_shared', ...odbc }] }))
    for (const stateDirectory of [state, null]) {
      expect(open(ties.shared, stateDirectory)).toThrow('is a real data source')
      expect(open(ties.second, stateDirectory)).toThrow('has no source odbc_second north')
    }
    vi.stubEnv('POS_GATEWAY_CONFIG', join(directory, 'missing.json'))
    expect(open(ties.shared, state)).toThrow(
      'missing.json cannot be read (ENOENT: no such file or directory).',
    )
    vi.stubEnv('POS_GATEWAY_CONFIG', file('gateway.json', { sources: [{ kind: 'odbc_third' }] }))
    expect(open(ties.shared, state)).toThrow('sources[0].kind must be one of')
    vi.stubEnv('POS_GATEWAY_CONFIG', '')
  })
})

it('a configuration of embedded databases is followed', async () => {
  const folder = join(directory, 'elsewhere')
  mkdirSync(folder)
  const embedded = { driver: 'sqlite', currency: 'USD', timeZone: 'UTC', directory: folder }
  vi.stubEnv('POS_GATEWAY_CONFIG', file('gateway.json', { sources: [{ kind: 'odbc_second', ...embedded }] }))
  expect(await imported('pos-customers', 'second', { customerId: 'c-2', licensePlates: [] })).toMatchObject({
    changed: 1,
  })
  vi.stubEnv('POS_GATEWAY_CONFIG', '')
  expect(existsSync(join(folder, 'north.sqlite'))).toBe(true)
})

it.each(['odbc_second:../x', 'odbc_second:a b', `odbc_second:${'x'.repeat(65)}`, 'odbc_second:', 'legacy:1'])(
  'a tie to %j is refused',
  async (tie) => {
    const { code, stderr } = await operator('org', 'create', '--id', 'x', '--name', 'x', '--pos-source', tie)
    expect([code, stderr.startsWith('--pos-source ')]).toEqual([2, true])
  },
)
