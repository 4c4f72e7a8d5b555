import assert from 'node:assert/strict'
import type { OneQuery, PageQuery, PosSource, PosSourceTie, StoredRow } from '../../../ports/index.ts'

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
