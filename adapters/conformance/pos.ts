import assert from 'node:assert/strict'
import type { OneQuery, PageQuery, PosSource, PosSourceTie, StoredRow, Predicate } from '../../ports/index.ts'
import { customers } from '../../domain/pos/customers.ts'
import { posEndpoints, posResources } from '../../domain/pos/index.ts'
import { emailKey } from '../../domain/text/typed-text.ts'
import { toInstant } from '../../domain/text/instant.ts'

/** A point-of-sale system under test, empty at first. */
export interface PosInstance {
  readonly kind: PosSourceTie['kind']
  /**
   * Fields that the system cannot store, which are read as null. A dot leads into a list
   * (`lineItems.grossAmountCents`).
   */
  readonly lacks: readonly string[]
  /** Opens the source of a tenant, or of a name that no tenant has. */
  source(tenant: string): Promise<PosSource>
  /**
   * Puts whole neutral rows into a tenant's data without the port. Collections: `pos-transactions`, `pos-customers`,
   * `pos-recurring-accounts`, `pos-billing-events` and `pos-status-events` (the last two with `accountId`).
   */
  load(tenant: string, collection: string, rows: readonly StoredRow[]): Promise<void>
}

/** Makes a fresh, empty system. Cases use the tenants `north` and `south`. */
export type MakePos = () => Promise<PosInstance>

/** One promise of the point-of-sale port, with the check that an adapter keeps it. Rejects when it does not. */
export interface PosCase {
  readonly name: string
  run(make: MakePos): Promise<void>
}

/**
 * A page, which the source must be able to read. Rejects with the reason when the source says that it is unavailable.
 */
export async function pageOf(source: PosSource, query: PageQuery) {
  const page = await source.page(query)
  assert(page.kind === 'page', page.kind === 'page' ? '' : page.reason)
  return page
}

/** A row, or null when there is none; the source must be available. */
export async function rowOf(source: PosSource, query: OneQuery): Promise<StoredRow | null> {
  const found = await source.one(query)
  assert(found.kind === 'row', found.kind === 'row' ? '' : found.reason)
  return found.row
}

/** Follows a query to its end and returns all rows; `between` runs after each page but the last. */
export async function readAll(
  source: PosSource,
  query: PageQuery,
  between: () => Promise<void> = async () => {},
): Promise<readonly StoredRow[]> {
  const all: StoredRow[] = []
  for (let after = query.after; ;) {
    const page = await pageOf(source, { ...query, after })
    assert(page.rows.length <= query.limit, 'more rows than were asked for')
    all.push(...page.rows)
    if (page.next === null) return all
    assert(page.rows.length > 0, 'an empty page that another follows')
    after = page.next
    await between()
  }
}

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
  for (const endpoint of posEndpoints) {
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
