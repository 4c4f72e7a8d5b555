import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Executor } from '../../adapters/sqlite/index.ts'
import { createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { openLegacyVendor } from '../../adapters/pos-legacy-vendor/index.ts'
import { runImport } from '../../domain/imports/run-import.ts'
import type { Organization, PosSourceTie } from '../../ports/organization.ts'
import { importWorld, ndjsonBytes, sourceOf, toolsWithoutSecrets } from '../../test/support/imports.ts'
import { openTestOperator } from '../../test/support/operator.ts'
import { createScratchStorage } from '../../test/support/scratch-storage.ts'
import { systemClock, systemDeadline } from '../system.ts'
import { newOrganization } from '../../domain/operators/organization.ts'
import { openPosWriter } from './pos-writer.ts'

const directory = mkdtempSync(join(tmpdir(), 'pos-import-'))
const state = join(directory, 'state')

const ties = {
  vendor: { kind: 'legacy_vendor', tenant: 't-1' },
  other: { kind: 'legacy_vendor', tenant: 't-2' },
  shared: { kind: 'odbc_shared', tenant: 't-1' },
  second: { kind: 'odbc_second', tenant: 'north' },
} as const satisfies Readonly<Record<string, PosSourceTie>>

const { run: operator, database: openDatabase, close } = openTestOperator(state)
let posLegacy: Executor

beforeAll(async () => {
  vi.stubEnv('STATE_DIR', state)
  vi.stubEnv('POS_GATEWAY_CONFIG', '')
  const opened = await openDatabase()
  if (opened.posLegacy === null) throw new Error('There is no POS_LEGACY')
  posLegacy = createExecutor({ database: opened.posLegacy, clock: systemClock, meter: createMeter() })
}, 60_000)
afterAll(async () => {
  await close()
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

function organizationOf(posSource: PosSourceTie | null): Organization {
  return { ...newOrganization('acme', 'Acme'), posSource }
}

function open(tie: PosSourceTie | null, localDirectory: string | null = state) {
  return openPosWriter({ localDirectory, posLegacy: async () => posLegacy }, organizationOf(tie))
}

/** Imports lines as the command does, into the point of sale that the tie names. */
async function imported(name: string, tie: PosSourceTie, ...given: readonly object[]) {
  const pos = await open(tie)
  const storage = createScratchStorage({ clock: systemClock })
  const world = importWorld(storage, organizationOf(tie), toolsWithoutSecrets(systemClock), () => pos)
  const source = sourceOf(ndjsonBytes(given))
  const outcome = await runImport(
    { kind: name, format: 'ndjson', source, onProgress: () => undefined },
    world,
  )
  pos.close()
  return outcome
}

function file(name: string, content: object): string {
  const path = join(directory, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const accountId = 'a-1'
const occurredAt = '2026-03-01T10:00:00+02:00'

/** A line of each kind, and the same line with one thing changed. */
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
  const tie = ties[name]

  it.each(Object.entries(lines))(
    'takes %s, the same ones again without a change',
    async (kind, [line, change]) => {
      const changedBy = async (given: object) => {
        const outcome = await imported(kind, tie, given)
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
      tie,
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
    expect(await imported('pos-transactions', tie, whole)).toMatchObject({ changed: 1 })
  })
})

it.each(Object.values(ties))(
  'refuses a sale with two lines of one id, which a source would merge: $kind',
  async (tie) => {
    const [line] = lines['pos-transactions'] ?? [{}]
    const twice = [{ lineId: '1' }, { lineId: '1', name: 'second' }]
    const outcome = await imported('pos-transactions', tie, {
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
  for (const tie of [ties.vendor, ties.other]) {
    expect(
      await imported('pos-customers', tie, { ...line, customerId: 'same', firstName: tie.tenant }),
    ).toMatchObject({
      changed: 1,
    })
  }
  for (const { tenant } of [ties.vendor, ties.other]) {
    const source = openLegacyVendor({ database: posLegacy, deadline: systemDeadline }, tenant)
    const asked = {
      kind: 'one',
      collection: 'pos-customers',
      select: ['firstName', 'phone'],
      id: 'same',
    } as const
    expect(await source.one(asked)).toEqual({
      kind: 'row',
      row: { firstName: tenant, phone: '+12125550123' },
    })
  }
})

describe('what takes no imports says so', () => {
  it('an organization without a point of sale', async () => {
    await expect(open(null)).rejects.toThrow('has no point of sale')
  })

  it('a source of the deployment of which nothing is known here', async () => {
    await expect(open(ties.shared, null)).rejects.toThrow('behind an ODBC gateway')
  })

  it('a real data source, and one that the configuration does not have', async () => {
    const odbc = { driver: 'odbc', dialect: 'postgresql', connection: 'DSN=shop', currency: 'USD' }
    vi.stubEnv('POS_GATEWAY_CONFIG', file('gateway.json', { sources: [{ kind: 'odbc_shared', ...odbc }] }))
    for (const localDirectory of [state, null]) {
      await expect(open(ties.shared, localDirectory)).rejects.toThrow('is a real data source')
      await expect(open(ties.second, localDirectory)).rejects.toThrow('has no source odbc_second north')
    }
    vi.stubEnv('POS_GATEWAY_CONFIG', join(directory, 'missing.json'))
    await expect(open(ties.shared)).rejects.toThrow('cannot be read')
    vi.stubEnv('POS_GATEWAY_CONFIG', file('gateway.json', { sources: [{ kind: 'odbc_third' }] }))
    await expect(open(ties.shared)).rejects.toThrow('sources[0].kind must be one of')
    vi.stubEnv('POS_GATEWAY_CONFIG', '')
  })
})

it('a configuration of embedded databases is followed', async () => {
  const folder = join(directory, 'elsewhere')
  mkdirSync(folder)
  const embedded = { driver: 'sqlite', currency: 'USD', timeZone: 'UTC', directory: folder }
  vi.stubEnv('POS_GATEWAY_CONFIG', file('gateway.json', { sources: [{ kind: 'odbc_second', ...embedded }] }))
  expect(
    await imported('pos-customers', ties.second, { customerId: 'c-2', licensePlates: [] }),
  ).toMatchObject({
    changed: 1,
  })
  vi.stubEnv('POS_GATEWAY_CONFIG', '')
  expect(existsSync(join(folder, 'north.sqlite'))).toBe(true)
})

it(
  'a tie to a data source makes its database, and the command imports into it',
  { timeout: 60_000 },
  async () => {
    const flags = ['--name', 'Fresh', '--pos-source', 'odbc_second:fresh']
    expect(await operator('org', 'create', '--id', 'fresh', ...flags)).toMatchObject({ code: 0 })
    expect(existsSync(join(state, 'pos', 'odbc-second', 'fresh.sqlite'))).toBe(true)
    const path = file('customer.ndjson', lines['pos-customers']?.[0] ?? {})
    const stdout = 'pos-customers: 1 read, 1 changed, 0 unchanged\n'
    expect(await operator('import', 'pos-customers', path, '--org', 'fresh')).toEqual({
      code: 0,
      stdout,
      stderr: '',
    })
  },
)

it.each(['odbc_second:../x', 'odbc_second:a b', `odbc_second:${'x'.repeat(65)}`, 'odbc_second:', 'legacy:1'])(
  'a tie to %j is refused',
  async (tie) => {
    const { code, stderr } = await operator('org', 'create', '--id', 'x', '--name', 'x', '--pos-source', tie)
    expect([code, stderr.startsWith('--pos-source ')]).toEqual([2, true])
  },
)
