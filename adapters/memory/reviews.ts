import { toInstant } from '../../domain/text/instant.ts'
import type { KeptRow, MemoryState, TenantState } from './state.ts'
import { nextInstant, rowsOf } from './state.ts'

const COLLECTION = 'visible-reviews'

const NOT_SHOWN: ReadonlySet<string> = new Set(['isDeleted', 'isPreview', 'updatedAt'])

/**
 * Brings what an owner and its parent may read up to date, after the owner's reviews or sites changed or it got that
 * parent. The owner's rows change at the instant of the write, its parent's at one of the parent's own.
 */
export function showReviews(state: MemoryState, owner: TenantState): void {
  replaceRows(owner, owner, toInstant(owner.clockMs))
  const { parentId } = owner.organization
  const parent = parentId === null ? undefined : state.tenants.get(parentId)
  if (parent === undefined) return
  const { ms, text } = nextInstant(state, parent)
  parent.clockMs = ms
  replaceRows(parent, owner, text)
}

/** Takes an owner's reviews from an organization that is its parent no longer. */
export function hideReviews(reader: TenantState, ownerId: string): void {
  const shown = rowsOf(reader, COLLECTION)
  for (const [id, row] of shown) if (row.ownerId === ownerId) shown.delete(id)
}

function replaceRows(reader: TenantState, owner: TenantState, updatedAt: string): void {
  const { organizationId } = owner.organization
  const before = new Map(rowsOf(reader, COLLECTION))
  hideReviews(reader, organizationId)
  const shown = rowsOf(reader, COLLECTION)
  for (const review of rowsOf(owner, 'reviews').values()) {
    if (review.isDeleted === true || review.isPreview === true) continue
    const row = visibleRow(owner, review)
    const old = before.get(row.rowId as string)
    const isSame = old !== undefined && Object.entries(row).every(([name, value]) => old[name] === value)
    shown.set(row.rowId as string, isSame ? old : { ...row, updatedAt })
  }
}

function visibleRow(owner: TenantState, review: KeptRow): KeptRow {
  const content = Object.entries(review).filter(([name]) => !NOT_SHOWN.has(name))
  const { organizationId } = owner.organization
  const site = typeof review.siteId === 'string' ? rowsOf(owner, 'sites').get(review.siteId) : undefined
  return {
    ...Object.fromEntries(content),
    siteName: site?.name ?? null,
    ownerId: organizationId,
    rowId: `${String(review.reviewId)} ${organizationId}`,
  }
}
