import type { NeutralRow } from '../../adapters/pos-odbc/protocol.ts'

// Rows in the neutral form. They contain every value that a source may know, and every gap that it may have.

const LATEST_EVENTS = 24
/** A text longer than the initial buffers of drivers. */
const LONG_TEXT = 'Wäsche 😀 '.repeat(300)

function day(number: number): string {
  return `2026-01-${String(number).padStart(2, '0')}T12:00:00.000Z`
}

/** A line of a sale with every field known. */
export const line: NeutralRow = {
  lineId: '1',
  productCode: 'WASH',
  name: LONG_TEXT,
  quantity: 1.5,
  grossAmountCents: 1_999,
  netAmountCents: 1_680,
  discountCents: 0,
}

const transaction: NeutralRow = {
  transactionId: '',
  customerId: 'c1',
  siteCode: 's1',
  completedAt: day(1),
  type: 'sale',
  currency: 'USD',
  subtotalCents: 1_999,
  discountCents: 0,
  taxCents: 160,
  tipCents: 5,
  totalCents: 2_164,
  paymentMethod: 'card',
  lineItems: [],
}

/** Sales of which many share a time, so that the id decides. */
export const transactions: readonly NeutralRow[] = [
  ...Array.from({ length: 12 }, (_, index) => ({
    ...transaction,
    transactionId: `t${index}`,
    completedAt: day(1 + Math.floor(index / 3)),
    customerId: [null, 'c1', 'c2'][index % 3] ?? null,
    siteCode: ['s1', 'S1', null, 's2'][index % 4] ?? null,
    totalCents: 100 * index + 7,
  })),
  {
    ...transaction,
    transactionId: 'o\'br"ien; 😀 %_\\',
    completedAt: '2026-01-08T23:59:59.999Z',
    type: 'refund',
    currency: 'EUR',
    totalCents: -1_205,
    lineItems: [
      line,
      { ...line, lineId: '10', quantity: null, grossAmountCents: null, netAmountCents: -5 },
      {
        ...line,
        lineId: '2',
        productCode: null,
        name: '',
        quantity: 0.001,
        discountCents: null,
        netAmountCents: null,
      },
    ],
  },
  {
    ...transaction,
    transactionId: 'unknown amounts',
    completedAt: '2026-01-09T00:00:00.000Z',
    type: 'void',
    customerId: null,
    siteCode: null,
    subtotalCents: null,
    discountCents: null,
    taxCents: null,
    tipCents: null,
    totalCents: null,
    paymentMethod: null,
  },
  {
    ...transaction,
    transactionId: 'large',
    completedAt: '2025-12-31T23:59:59.999Z',
    totalCents: 99_999_999_999,
  },
]

const customer: NeutralRow = {
  customerId: '',
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  licensePlates: [],
  active: null,
  homeSiteCode: null,
  lastVisitAt: null,
  createdAt: null,
}

export const customers: readonly NeutralRow[] = [
  ...Array.from({ length: 9 }, (_, index) => ({
    ...customer,
    customerId: `c${index}`,
    email: index % 2 === 0 ? 'Ada@Example.com' : null,
    phone: [null, '+12125550101', '+442079460101'][index % 3] ?? null,
    active: [true, false, null][index % 3] ?? null,
    homeSiteCode: index % 4 === 0 ? 's1' : null,
    createdAt: index < 4 ? null : day(index % 3),
  })).map((row) => (row.createdAt === day(0) ? { ...row, createdAt: day(4) } : row)),
  {
    ...customer,
    customerId: 'known',
    firstName: 'Zoë',
    lastName: "O'Brien 😀",
    email: 'zoe@example.com',
    phone: '+12125550101',
    licensePlates: ['B-XY 2', 'A 1', 'ÄÖ 3'],
    active: true,
    homeSiteCode: 's1',
    // In Chicago, where one of the sources is, this hour occurred twice.
    lastVisitAt: '2026-11-01T07:30:00.000Z',
    createdAt: '2020-02-29T23:59:59.001Z',
  },
]

const account: NeutralRow = {
  accountId: '',
  customerId: 'c1',
  status: 'active',
  planCode: 'GOLD',
  planName: 'Gold',
  amountCents: 2_999,
  billingInterval: 'month',
  siteCode: 's1',
  startedAt: day(1),
  nextBillingAt: day(28),
  canceledAt: null,
}

export const accounts: readonly NeutralRow[] = [
  ...Array.from({ length: 12 }, (_, index) => ({
    ...account,
    accountId: `a${index}`,
    customerId: index % 5 === 0 ? null : 'c1',
    status: ['active', 'suspended', 'canceled', 'unknown'][index % 4] ?? '',
    billingInterval: ['week', 'month', 'quarter', 'year', null][index % 5] ?? null,
    siteCode: ['s1', 's2', null][index % 3] ?? null,
    startedAt: index % 3 === 0 ? null : day(1 + Math.floor(index / 4)),
    canceledAt: index % 4 === 2 ? day(20) : null,
  })),
  {
    ...account,
    accountId: 'bare',
    planCode: null,
    planName: null,
    amountCents: null,
    billingInterval: null,
    siteCode: null,
    customerId: null,
    nextBillingAt: null,
    startedAt: null,
    status: 'unknown',
  },
]

/** More events than a detail shows, several of them at the same time. */
export const billingEvents: readonly NeutralRow[] = Array.from({ length: 60 }, (_, index) => ({
  eventId: `b${String(index).padStart(3, '0')}`,
  accountId: index < 50 ? 'a1' : 'a2',
  occurredAt: day(1 + Math.floor(index / 4)),
  type: ['payment', 'refund', 'chargeback', 'adjustment', 'discount', 'unknown'][index % 6] ?? '',
  amountCents: index % 7 === 0 ? null : index - 20,
  result: ['success', 'failed', 'pending', 'unknown', null][index % 5] ?? null,
}))

export const statusEvents: readonly NeutralRow[] = Array.from({ length: 30 }, (_, index) => ({
  eventId: `s${String(index).padStart(3, '0')}`,
  accountId: index < 3 ? 'a0' : 'a1',
  occurredAt: day(1 + (index % 20)),
  fromStatus: [null, 'active', 'unknown'][index % 3] ?? null,
  toStatus: ['active', 'suspended', 'canceled', 'unknown'][index % 4] ?? '',
  reason: index % 2 === 0 ? null : 'Asked to',
}))

function latestOf(events: readonly NeutralRow[], accountId: unknown): readonly NeutralRow[] {
  return events
    .filter((event) => event.accountId === accountId)
    .map((event) => Object.fromEntries(Object.entries(event).filter(([field]) => field !== 'accountId')))
    .sort((left, right) => (sortKey(left) < sortKey(right) ? 1 : -1))
    .slice(0, LATEST_EVENTS)
}

function sortKey({ occurredAt, eventId }: NeutralRow): string {
  return `${occurredAt as string} ${eventId as string}`
}

/** The accounts with the events that their details show. */
export const details: readonly NeutralRow[] = accounts.map((row) => ({
  ...row,
  billingEvents: latestOf(billingEvents, row.accountId),
  statusEvents: latestOf(statusEvents, row.accountId),
}))
