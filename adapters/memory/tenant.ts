import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resourceOf } from '../../domain/resources/index.ts'
import type { StoredRow } from '../../ports/query.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import { selectRows } from './read-query.ts'
import { keepRow, keyOfRow, sameContent } from './rows.ts'
import type { KeptRow, MemoryState } from './state.ts'
import { nextInstant, rowsOf, tenantState } from './state.ts'
import { showReviews } from './reviews.ts'
import { saveSubmission } from './submission.ts'
import { initialFields, refreshTallies } from './tallies.ts'

/** Collections whose ids are unique across the service; in the others two organizations may use the same id. */
const SERVICE_WIDE_IDS: ReadonlySet<string> = new Set(['forms'])

/** Opens one organization for writing. */
export function createTenantWriter(state: MemoryState, organizationId: string): TenantWriter {
  return {
    async saveSubmission(submission) {
      state.meter.calls += 1
      const tenant = state.tenants.get(organizationId)
      return tenant === undefined ? { kind: 'stale' } : saveSubmission(state, tenant, submission)
    },

    async upsert(collection, rows) {
      if (rows.length === 0) return { changed: 0 }
      state.meter.calls += 1
      return { changed: upsert(state, organizationId, collection, rows) }
    },

    async replacePasswordHash(formId, from, to) {
      state.meter.calls += 1
      const forms = rowsOf(tenantState(state, organizationId), 'forms')
      const form = forms.get(formId)
      if (form?.passwordHash === from) forms.set(formId, { ...form, passwordHash: to })
    },

    async foreignIds(collection, ids) {
      if (!SERVICE_WIDE_IDS.has(collection) || ids.length === 0) return []
      state.meter.calls += 1
      return foreignIds(state, organizationId, collection, ids)
    },

    async findMany(collection, select, keys, by) {
      if (keys.length === 0) return []
      state.meter.calls += 1
      const tenant = state.tenants.get(organizationId)
      if (tenant === undefined) return []
      const rows = rowsOf(tenant, collection)
      const found =
        by === undefined
          ? [...new Set(keys)].map((id) => rows.get(id)).filter((row) => row !== undefined)
          : [...rows.values()].filter((row) => keys.includes(String(row[by])))
      return selectRows(tenant, collection, select, found)
    },
  }
}

function upsert(
  state: MemoryState,
  organizationId: string,
  collection: string,
  rows: readonly StoredRow[],
): number {
  const tenant = tenantState(state, organizationId)
  const resource = resourceOf(collection)
  if (resource.keptFrom !== null) {
    throw new Error(`${collection} cannot be written: the store keeps it from other rows`)
  }
  const versioned = storedFields(resource).some(([name]) => name === 'version')
  const { ms, text: updatedAt } = nextInstant(state, tenant)
  const kept = rows.map((row) => keepRow(resource, row))
  const ids = kept.map((row) => row[resource.idField] as string)
  if (SERVICE_WIDE_IDS.has(collection) && foreignIds(state, organizationId, collection, ids).length > 0) {
    throw new Error('A form id belongs to another organization')
  }

  assertDistinct(rowsOf(tenant, collection), kept, resource)

  // Nothing above this line writes and nothing below it throws: all of it happens or nothing.
  tenant.clockMs = ms
  const stored = rowsOf(tenant, collection)
  let changed = 0
  for (const row of kept) {
    const id = keyOfRow(resource, row)
    const before = stored.get(id)
    if (before !== undefined && sameContent(resource, before, row)) continue
    const assigned = before === undefined ? initialFields(resource) : before
    stored.set(id, { ...assigned, ...row, updatedAt, ...(versioned ? { version: nextVersion(before) } : {}) })
    changed += 1
  }
  if (changed > 0) refreshTallies(tenant, collection, updatedAt)
  if (changed > 0 && (collection === 'reviews' || collection === 'sites')) showReviews(state, tenant)
  return changed
}

/** Throws when rows would share a value of the alternate key, which it does not name: it may be a secret. */
function assertDistinct(
  stored: ReadonlyMap<string, KeptRow>,
  written: readonly KeptRow[],
  { idField, alternateKey, collection }: Resource,
): void {
  if (alternateKey === null) return
  const after = new Map([...stored, ...written.map((row) => [row[idField] as string, row] as const)])
  const values = new Set([...after.values()].map((row) => row[alternateKey]))
  if (values.size < after.size) throw new Error(`Two ${collection} have the same ${alternateKey}`)
}

function nextVersion(before: KeptRow | undefined): number {
  return before === undefined ? 1 : (before.version as number) + 1
}

function foreignIds(
  state: MemoryState,
  organizationId: string,
  collection: string,
  ids: readonly string[],
): readonly string[] {
  const others = [...state.tenants].filter(([id]) => id !== organizationId)
  return [...new Set(ids)].filter((id) => others.some(([, tenant]) => rowsOf(tenant, collection).has(id)))
}
