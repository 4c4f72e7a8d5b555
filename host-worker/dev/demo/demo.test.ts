import { statSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readKey } from '../../../domain/access/keys.ts'
import { readFormLine } from '../../../domain/forms/language/check.ts'
import { headlessSupport } from '../../../domain/forms/language/compile.ts'
import { openTestOperator, type TestOperator } from '../../../test/support/services/operator/operator.ts'
import { localSourceFile } from '../../local/pos-sources.ts'
import { fillLocalGateway } from '../gateway.ts'
import type { KeptName } from '../kept.ts'
import { demoForms, demoOrganizations } from './index.ts'
import { importLines, seedDemo } from './seed.ts'
import { scratchFolder } from '../../../test/support/scratch/scratch-folder.ts'

const [sparkle, ...atPointsOfSale] = demoOrganizations
const textOf = ({ lines }: (typeof demoOrganizations)[number]) =>
  JSON.stringify(lines.map(([, rows]) => rows()))

it('has rows of every kind that it names, and more contacts than a page', () => {
  const counts = demoOrganizations.flatMap(({ lines }) => lines.map(([, rows]) => rows().length))
  expect(Math.min(...counts)).toBeGreaterThan(0)
  const contacts = sparkle?.lines.find(([kind]) => kind === 'contacts')?.[1]() ?? []
  expect(contacts.length).toBeGreaterThan(500)
})

it('has an organization for each kind of point of sale, with rows of its own', () => {
  expect(atPointsOfSale.map(({ organization }) => organization.posSource?.kind)).toEqual([
    'legacy_vendor',
    'odbc_shared',
    'odbc_second',
  ])
  expect(new Set(atPointsOfSale.map(textOf)).size).toBe(3)
  expect(demoOrganizations.filter(({ place }) => place === 'own')).toHaveLength(1)
})

// The tests depend on this order: the demo is prepared, prepared once more, and loses its key.
describe('a service with the demo', { shuffle: false }, () => {
  const directory = scratchFolder()
  const notes: string[] = []
  let operated: TestOperator
  const values = new Map<KeptName, string>()
  const kept = {
    read: async (name: KeptName) => values.get(name) ?? null,
    write: async (name: KeptName, value: string) => void values.set(name, value),
  }
  let keys: readonly string[]
  const prepare = async () => {
    await seedDemo(operated.client(directory), kept, (line) => notes.push(line))
    await fillLocalGateway(directory)
    return demoOrganizations.map(
      ({ organization }) => values.get(`tenant-key ${organization.organizationId}`) ?? '',
    )
  }

  beforeAll(async () => {
    operated = await openTestOperator()
    operated.service.clock.set('2026-10-01T00:00:00Z')
    keys = await prepare()
  })

  it('has keys that work, and rows at each point of sale', async () => {
    expect(notes).toHaveLength(4)
    expect(keys).toHaveLength(4)
    for (const key of keys) expect((await operated.service.send('/api/v1/sites', { key })).status).toBe(200)
    const [vendor, ...embedded] = atPointsOfSale.map(({ organization }) => organization)
    const asked = { kind: 'one', select: ['transactionId'], id: 'sale-0150' } as const
    const source = operated.service.pos.open(vendor?.posSource ?? { kind: 'legacy_vendor', tenant: '' })
    const found = await source.one({ ...asked, collection: 'pos-transactions' })
    expect(found).toEqual({ kind: 'row', row: { transactionId: 'sale-0150' } })
    expect(embedded).toHaveLength(2)
    for (const { posSource } of embedded)
      expect(
        statSync(localSourceFile(directory, posSource ?? { kind: 'odbc_second', tenant: '' }) ?? '').size,
      ).toBeGreaterThan(50_000)
  })

  it('is left as it is by the next start, and by importing it again', async () => {
    const contacts = () =>
      operated.service.storage
        .tenant('demo')
        .findMany('contacts', ['contactId', 'updatedAt'], ['contact-0001', 'contact-0800'])
    const first = await contacts()
    expect(first).toHaveLength(2)
    operated.service.clock.advance(1_000)
    notes.length = 0
    expect([await prepare(), notes]).toEqual([keys, []])
    const again = sparkle?.lines.filter(([kind]) => ['sites', 'contacts', 'forms'].includes(kind)) ?? []
    expect(again).toHaveLength(3)
    await importLines(again, 'demo', operated.client(directory))
    expect(await contacts()).toEqual(first)
  })

  it('gets a new key when its own does not work any more', async () => {
    const keyId = readKey(keys[0] ?? '')?.keyId ?? ''
    expect((await operated.run('key', 'revoke', keyId)).code).toBe(0)
    const [demo] = await prepare()
    expect([demo === keys[0], notes]).toEqual([false, []])
    expect((await operated.service.send('/api/v1/sites', { key: demo ?? '' })).status).toBe(200)
  })

  it('has figures for all five analytics', async () => {
    const { storage } = operated.service
    const demo = storage.analytics.open('demo')
    const everything = { start: null, end: null }
    const { cohorts } = await demo.cohorts({ dimension: 'plan', firstMonth: null, lastMonth: null })
    expect(new Set(cohorts.map(({ month }) => month)).size).toBeGreaterThanOrEqual(36)
    expect(new Set(cohorts.map(({ value }) => value)).size).toBe(3)
    expect((await demo.cancellations(everything)).reasons.length).toBeGreaterThan(3)
    expect(await demo.retentionOffers(everything)).toHaveLength(3)
    const { accepted, declined } = await demo.revenueByDecision(everything)
    // Enough members for figures about revenue.
    expect(accepted.members + declined.members).toBeGreaterThan(60)
    expect(accepted.membersWithRevenue * 100).toBeGreaterThan(accepted.members * 80)
    const survey = await storage.exitSurvey
      .open('demo')
      .countReasons(everything, new AbortController().signal)
    expect(survey).toMatchObject({ kind: 'counts' })
  })
})

it('has one form that must be hosted and three that need not', () => {
  const verdicts = demoForms().map((line) => {
    const reading = readFormLine(line)
    if (!('form' in reading)) throw new Error(JSON.stringify(reading))
    return [line.formId, headlessSupport(reading.form.definition).supported]
  })
  expect(Object.fromEntries(verdicts)).toEqual({
    'demo-contact': true,
    'demo-damage-claim': true,
    'demo-members': true,
    'demo-enrollment': false,
  })
})
