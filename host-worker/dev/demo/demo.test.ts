import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createScratchPos } from '../../../test/support/scratch-pos.ts'
import { createScratchStorage } from '../../../test/support/scratch-storage.ts'
import { readFormLine } from '../../../domain/forms/definition/check.ts'
import { headlessSupport } from '../../../domain/forms/definition/support.ts'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { demoContacts } from './contacts.ts'
import { formLines } from './forms.ts'
import { demoOrganization } from './index.ts'
import { posLines, posOrganizations, seedPos } from './pos.ts'
import { demoLines, seedDemo } from './seed.ts'

const secrets = await openSecrets(Buffer.alloc(32, 7).toString('base64url'), null)

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

it('is accepted by the importer, and importing it again changes nothing', async () => {
  let nowMs = Date.UTC(2026, 10, 1)
  const storage = createScratchStorage({ clock: { nowMs: () => (nowMs += 1_000) } })
  await storage.administration.saveOrganization(demoOrganization)
  const writer = storage.tenant('demo')
  const contacts = () =>
    writer.findMany('contacts', ['contactId', 'updatedAt'], ['contact-0001', 'contact-2000'])
  await seedDemo(storage, secrets)
  const first = await contacts()
  expect(first).toHaveLength(2)
  await seedDemo(storage, secrets)
  expect(await contacts()).toEqual(first)
})

it('has an organization for each kind of point of sale, with rows of its own that the importer accepts', async () => {
  expect(posOrganizations.map(({ posSource }) => posSource?.kind)).toEqual([
    'legacy_vendor',
    'odbc_shared',
    'odbc_second',
  ])
  const texts = [0, 1000].map((seed) => JSON.stringify(posLines(seed).map(([, lines]) => [...lines()])))
  expect(new Set(texts).size).toBe(2)
  const pos = createScratchPos()
  const storage = createScratchStorage({ clock: { nowMs: () => Date.UTC(2026, 10, 1) } })
  for (const organization of posOrganizations) {
    const { posSource } = organization
    if (posSource === null) throw new Error('It is tied to nothing')
    await seedPos(organization, pos.writer(posSource), storage)
    const asked = { kind: 'one', select: ['transactionId'], id: 'sale-0400' } as const
    const found = await pos.open(posSource).one({ ...asked, collection: 'pos-transactions' })
    expect(found).toEqual({ kind: 'row', row: { transactionId: 'sale-0400' } })
  }
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

it('has figures for all five analytics', async () => {
  const storage = createScratchStorage({ clock: { nowMs: () => Date.UTC(2026, 10, 1) } })
  await storage.administration.saveOrganization(demoOrganization)
  await seedDemo(storage, secrets)
  const demo = storage.analytics.open('demo')
  const everything = { start: null, end: null }
  const { cohorts } = await demo.cohorts({ dimension: 'plan', firstMonth: null, lastMonth: null })
  expect(new Set(cohorts.map(({ month }) => month)).size).toBeGreaterThanOrEqual(36)
  expect(new Set(cohorts.map(({ value }) => value)).size).toBe(3)
  expect((await demo.cancellations(everything)).reasons.length).toBeGreaterThan(3)
  expect(await demo.retentionOffers(everything)).toHaveLength(3)
  const { accepted, declined } = await demo.revenueByDecision(everything)
  // Enough for figures about revenue.
  expect(accepted.members + declined.members).toBeGreaterThan(60)
  expect(accepted.membersWithRevenue * 100).toBeGreaterThan(accepted.members * 80)
  const survey = await storage.exitSurvey.open('demo').countReasons(everything, new AbortController().signal)
  expect(survey).toMatchObject({ kind: 'counts' })
})
