import type { Organization, PosSourceTie } from '../../../../ports/organizations/organization.ts'
import type { Draw } from '../draw.ts'
import { baseMs, createDraw } from '../draw.ts'
import { demoOrganization } from '../index.ts'

const CUSTOMERS = 120
const TRANSACTIONS = 400
const ACCOUNTS = 60
const EVENTS_MAX = 40
const DAY_MS = 86_400_000

const siteCodes = ['RIV', 'DTN', 'APT'] as const
const firstNames = ['Ada', 'Ben', 'Chloe', 'Dev', 'Eve', 'Finn', 'Grace', 'Hugo'] as const
const lastNames = ["O'Brien", 'Nguyen', 'Garcia', 'Smith', 'Okafor', 'Müller'] as const
type Choices<Choice> = readonly [Choice, ...Choice[]]

const washes: Choices<readonly [code: string, name: string, cents: number]> = [
  ['BASIC', 'Basic wash', 1200],
  ['DELUXE', 'Deluxe wash', 1800],
  ['ULTIMATE', 'Ultimate wash', 2500],
]
const plans: Choices<readonly [code: string, name: string, cents: number]> = [
  ['P-BASIC', 'Basic Unlimited', 1999],
  ['P-ULTIMATE', 'Ultimate Unlimited', 3999],
]

/** One demo organization for each kind of point-of-sale source. */
export const posOrganizations: readonly Organization[] = (
  [
    ['demo-pos-legacy', 'Bubble & Shine (legacy vendor)', { kind: 'legacy_vendor', tenant: 'bubble' }],
    ['demo-pos-shared', 'Drive & Glow (shared ODBC source)', { kind: 'odbc_shared', tenant: 'glow' }],
    ['demo-pos-second', 'Foam Factory (second ODBC source)', { kind: 'odbc_second', tenant: 'foam' }],
  ] satisfies (readonly [string, string, PosSourceTie])[]
).map(([organizationId, name, posSource]) => {
  return { ...demoOrganization, organizationId, name, posSource, slug: null, smsNumber: null }
})

/** The place of a demo organization. One of them has a database of its own, so that a local service has both kinds. */
export function placeOfDemo(organizationId: string): 'own' | 'shared' {
  return organizationId === posOrganizations[0]?.organizationId ? 'own' : 'shared'
}

/** The rows at the point of sale of one demo organization. */
export function demoPosLines(organization: Organization): ReturnType<typeof posLines> {
  return posLines(1000 * posOrganizations.indexOf(organization))
}

/** The import lines of a point of sale, by import kind. The same seed gives the same lines. */
export function posLines(seed: number): readonly (readonly [kind: string, lines: () => Iterable<object>])[] {
  return [
    ['pos-customers', () => customerLines(createDraw(seed))],
    ['pos-transactions', () => transactionLines(createDraw(seed + 1))],
    ['pos-recurring-accounts', () => accountLines(createDraw(seed + 2))],
    ['pos-billing-events', () => billingLines(createDraw(seed + 3))],
    ['pos-status-events', () => statusLines(createDraw(seed + 4))],
  ]
}

function numbered(prefix: string, index: number): string {
  return `${prefix}-${String(index + 1).padStart(4, '0')}`
}

function customerLines(draw: Draw): readonly object[] {
  return Array.from({ length: CUSTOMERS }, (_, index) => {
    const firstName = draw.pick(firstNames)
    return {
      customerId: numbered('customer', index),
      firstName,
      lastName: draw.chance(90) ? draw.pick(lastNames) : null,
      email: draw.chance(80) ? `${firstName.toLowerCase()}.${index}@example.com` : null,
      phone: draw.chance(80) ? `(212) 555-${String(1000 + index)}` : null,
      licensePlates: draw.chance(70) ? [`NY ${1000 + index}`] : [],
      active: draw.chance(20) ? null : draw.chance(80),
      homeSiteCode: draw.chance(90) ? draw.pick(siteCodes) : null,
      lastVisitAt: draw.chance(85) ? draw.instant() : null,
      createdAt: draw.chance(92) ? draw.instant() : null,
    }
  })
}

function transactionLines(draw: Draw): readonly object[] {
  return Array.from({ length: TRANSACTIONS }, (_, index) => {
    const [productCode, name, price] = draw.pick(washes)
    const type = draw.chance(94) ? 'sale' : draw.pick(['refund', 'void'])
    const sign = type === 'sale' ? 1 : -1
    const taxCents = Math.round(price * 0.08875)
    return {
      transactionId: numbered('sale', index),
      customerId: draw.chance(60) ? numbered('customer', draw.below(CUSTOMERS)) : null,
      siteCode: draw.pick(siteCodes),
      completedAt: draw.instant(),
      type,
      currency: 'USD',
      subtotalCents: sign * price,
      discountCents: 0,
      taxCents: draw.chance(95) ? sign * taxCents : null,
      tipCents: draw.chance(15) ? 300 : null,
      totalCents: sign * (price + taxCents),
      paymentMethod: draw.pick(['card', 'cash', 'account']),
      lineItems: [
        {
          lineId: '1',
          productCode,
          name,
          quantity: 1,
          grossAmountCents: draw.chance(80) ? sign * price : null,
          netAmountCents: sign * price,
          discountCents: 0,
        },
      ],
    }
  })
}

function accountLines(draw: Draw): readonly object[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const [planCode, planName, amountCents] = draw.pick(plans)
    const status = draw.chance(70) ? 'active' : draw.pick(['suspended', 'canceled', 'unknown'])
    return {
      accountId: numbered('account', index),
      customerId: numbered('customer', index),
      status,
      planCode,
      planName,
      amountCents,
      billingInterval: 'month',
      siteCode: draw.pick(siteCodes),
      startedAt: draw.chance(90) ? draw.instant() : null,
      nextBillingAt: status === 'active' ? new Date(baseMs + draw.below(30) * DAY_MS).toISOString() : null,
      canceledAt: status === 'canceled' ? draw.instant() : null,
    }
  })
}

/** Billing events. Some accounts have more events than their details show. */
function billingLines(draw: Draw): readonly object[] {
  return Array.from(
    { length: ACCOUNTS },
    (_, index) => draw.below(EVENTS_MAX) + (index === 0 ? EVENTS_MAX : 0),
  ).flatMap((count, index) =>
    Array.from({ length: count }, (_, event) => ({
      eventId: `${numbered('billing', index)}-${event + 1}`,
      accountId: numbered('account', index),
      occurredAt: draw.instant(),
      type: draw.chance(92) ? 'payment' : draw.pick(['refund', 'chargeback', 'adjustment', 'discount']),
      amountCents: draw.chance(98) ? 1999 : null,
      result: draw.chance(90) ? 'success' : 'failed',
    })),
  )
}

function statusLines(draw: Draw): readonly object[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const accountId = numbered('account', index)
    const occurredAt = draw.instant()
    return { eventId: numbered('status', index), accountId, occurredAt, fromStatus: null, toStatus: 'active' }
  })
}
