import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readKey } from '../../../domain/access/api-key.ts'
import { readFormLine } from '../../../domain/forms/definition/check.ts'
import { headlessSupport } from '../../../domain/forms/definition/compiled/support.ts'
import type { TestOperator } from '../../../test/support/services/operator/operator.ts'
import { openTestOperator } from '../../../test/support/services/operator/operator.ts'
import { localSourceFile } from '../../local/pos-sources.ts'
import type { DemoKeys } from '../prepare.ts'
import { prepareDemo } from '../prepare.ts'
import { demoContacts } from './people/contacts.ts'
import { formLines } from './forms.ts'
import { posLines, posOrganizations } from './sales/pos.ts'
import { demoLines, importLines } from './seed.ts'

it('is the same in every run', () => {
  const digest = () => createHash('sha256').update(JSON.stringify(demoLines.map(([, lines]) => [...lines()])))
  expect(digest().digest('hex')).toBe(digest().digest('hex'))
})

it('has the promised rows', () => {
  const counts = demoLines.map(([kind, lines]) => [kind, [...lines()].length])
  expect(Object.fromEntries(counts)).toEqual({
    sites: 3,
    products: 5,
    'checkout-links': 2,
    contacts: 2_000,
    'contact-lists': 2,
    'list-members': 40,
    'marketing-signups': 60,
    forms: 4,
    'form-submissions': 500,
    automations: 1,
    surveys: 3,
    'survey-responses': 120,
    cases: 40,
    reviews: 40,
    'voucher-groups': 1,
    vouchers: 40,
    'voucher-redemptions': 14,
    purchases: 60,
    links: 12,
    'link-events': 1_800,
    memberships: 200,
    'billing-events': 2_836,
    'retention-offer-events': 183,
    'exit-survey-events': 87,
  })
})

it('has an organization for each kind of point of sale, with rows of its own', () => {
  expect(posOrganizations.map(({ posSource }) => posSource?.kind)).toEqual([
    'legacy_vendor',
    'odbc_shared',
    'odbc_second',
  ])
  const texts = [0, 1000].map((seed) => JSON.stringify(posLines(seed).map(([, lines]) => [...lines()])))
  expect(new Set(texts).size).toBe(2)
})

// The tests depend on this order: the demo is prepared, prepared once more, and loses its key.
describe('a service with the demo', { shuffle: false }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'demo-'))
  const notes: string[] = []
  let operated: TestOperator
  let keys: DemoKeys
  const prepare = () => prepareDemo(directory, operated.client(directory), (line) => notes.push(line))

  beforeAll(async () => {
    operated = await openTestOperator()
    operated.service.clock.set('2026-10-01T00:00:00Z')
    keys = await prepare()
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  it('has keys that work, and rows at each point of sale', async () => {
    expect(notes).toHaveLength(4)
    for (const key of [keys.demo, ...keys.pos.map(([, posKey]) => posKey)])
      expect((await operated.service.send('/api/v1/sites', { key })).status).toBe(200)
    const [vendor, ...embedded] = posOrganizations
    const asked = { kind: 'one', select: ['transactionId'], id: 'sale-0400' } as const
    const source = operated.service.pos.open(vendor?.posSource ?? { kind: 'legacy_vendor', tenant: '' })
    const found = await source.one({ ...asked, collection: 'pos-transactions' })
    expect(found).toEqual({ kind: 'row', row: { transactionId: 'sale-0400' } })
    for (const { posSource } of embedded)
      expect(
        statSync(localSourceFile(directory, posSource ?? { kind: 'odbc_second', tenant: '' }) ?? '').size,
      ).toBeGreaterThan(50_000)
  })

  it('is left as it is by the next start, and by importing it again', async () => {
    const contacts = () =>
      operated.service.storage
        .tenant('demo')
        .findMany('contacts', ['contactId', 'updatedAt'], ['contact-0001', 'contact-2000'])
    const first = await contacts()
    expect(first).toHaveLength(2)
    operated.service.clock.advance(1_000)
    notes.length = 0
    expect([await prepare(), notes]).toEqual([keys, []])
    const again = demoLines.filter(([kind]) => ['sites', 'contacts', 'forms'].includes(kind))
    await importLines(again, 'demo', operated.client(directory))
    expect(await contacts()).toEqual(first)
  })

  it('gets a new key when its own does not work any more', async () => {
    const keyId = readKey(keys.demo)?.keyId ?? ''
    expect((await operated.run('key', 'revoke', keyId)).code).toBe(0)
    const { demo } = await prepare()
    expect([demo === keys.demo, notes]).toEqual([false, []])
    expect((await operated.service.send('/api/v1/sites', { key: demo })).status).toBe(200)
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
  const verdicts = formLines.map((line) => {
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

it('gives no two contacts the same email or phone', () => {
  const contacts = demoContacts()
  for (const field of ['email', 'phone', 'contactId'] as const) {
    const values = contacts.map((contact) => contact[field]).filter((value) => value !== null)
    expect(new Set(values).size).toBe(values.length)
  }
})
