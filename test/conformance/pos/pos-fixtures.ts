import { customers } from '../../../domain/pos/customers.ts'
import { posResources } from '../../../domain/pos/index.ts'
import { emailKey } from '../../../domain/text/email-address.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { OneQuery, PageQuery, Predicate, StoredRow } from '../../../ports/index.ts'
import type { PosInstance } from './pos-case.ts'

const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** The instant some seconds after the start, with milliseconds that a careless conversion would drop. */
export function at(seconds: number): string {
  return toInstant(START_MS + seconds * 1000 + 250)
}

export function transaction(transactionId: string, changes: StoredRow = {}): StoredRow {
  return {
    transactionId,
    customerId: null,
    siteCode: null,
    completedAt: at(0),
    type: 'sale',
    currency: 'USD',
    subtotalCents: null,
    discountCents: null,
    taxCents: null,
    tipCents: null,
    totalCents: 1500,
    paymentMethod: null,
    lineItems: [],
    ...changes,
  }
}

export function lineItem(lineId: string, changes: StoredRow = {}): StoredRow {
  return {
    lineId,
    productCode: null,
    name: null,
    quantity: null,
    grossAmountCents: null,
    netAmountCents: null,
    discountCents: null,
    ...changes,
  }
}

export function customer(customerId: string, changes: StoredRow = {}): StoredRow {
  const { email } = changes
  return {
    customerId,
    firstName: null,
    lastName: null,
    email: null,
    phone: null,
    licensePlates: [],
    active: null,
    homeSiteCode: null,
    lastVisitAt: null,
    createdAt: at(0),
    ...changes,
    emailKey: typeof email === 'string' ? emailKey(email) : null,
  }
}

export function account(accountId: string, changes: StoredRow = {}): StoredRow {
  return {
    accountId,
    customerId: null,
    status: 'active',
    planCode: null,
    planName: null,
    amountCents: null,
    billingInterval: null,
    siteCode: null,
    startedAt: at(0),
    nextBillingAt: null,
    canceledAt: null,
    ...changes,
  }
}

export function billingEvent(eventId: string, accountId: string, changes: StoredRow = {}): StoredRow {
  const unknown = { amountCents: null, result: null }
  return { eventId, accountId, occurredAt: at(0), type: 'payment', ...unknown, ...changes }
}

export function statusEvent(eventId: string, accountId: string, changes: StoredRow = {}): StoredRow {
  const unknown = { fromStatus: null, reason: null }
  return { eventId, accountId, occurredAt: at(0), toStatus: 'active', ...unknown, ...changes }
}

export function where(field: string, operator: Predicate['operator'], value: Predicate['value']): Predicate {
  return { field, operator, value }
}

export function equals(field: string, value: Predicate['value']): Predicate {
  return where(field, 'equals', value)
}

/** A query for all rows of a collection in its own order, in one page unless `limit` says otherwise. */
export function pageQuery(collection: string, predicates: readonly Predicate[] = [], limit = 500): PageQuery {
  return {
    kind: 'page',
    collection,
    select: fieldsOf(collection),
    where: predicates,
    order: orderOf(collection),
    after: null,
    limit,
  }
}

export function oneQuery(collection: string, id: string): OneQuery {
  return { kind: 'one', collection, select: fieldsOf(collection), id }
}

/** The published fields of a collection. */
function fieldsOf(collection: string): readonly string[] {
  return Object.keys(
    (posResources.find((resource) => resource.collection === collection) ?? customers).fields,
  )
}

function orderOf(collection: string): PageQuery['order'] {
  for (const endpoint of endpoints) {
    if (endpoint.kind === 'collection' && endpoint.resource.collection === collection) return endpoint.order
  }
  throw new Error(`No collection ${collection}`)
}

/** A loaded row as a source must return it: its published fields, null for those that the system does not store. */
export function asRead(of: PosInstance, collection: string, row: StoredRow): StoredRow {
  return Object.fromEntries(
    fieldsOf(collection)
      .filter((field) => Object.hasOwn(row, field))
      .map((field) => [field, without(of.lacks, field, row[field])]),
  )
}

function without(lacks: readonly string[], field: string, value: unknown): unknown {
  if (lacks.includes(field)) return Array.isArray(value) ? [] : null
  if (!Array.isArray(value)) return value
  return value.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? Object.fromEntries(
          Object.entries(entry).map(([key, inner]) => [key, without(lacks, `${field}.${key}`, inner)]),
        )
      : entry,
  )
}

/** The ids of rows, in their order. */
export function ids(rows: readonly StoredRow[]): readonly unknown[] {
  return rows.map(({ transactionId, accountId, customerId }) => transactionId ?? accountId ?? customerId)
}
