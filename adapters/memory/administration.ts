import type { Administration, StoredKey } from '../../ports/administration.ts'
import type { Organization } from '../../ports/organization.ts'
import { hideReviews, showReviews } from './reviews.ts'
import type { MemoryState, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** Organizations and keys. */
export function createMemoryAdministration(state: MemoryState): Administration {
  return {
    async saveOrganization(organization) {
      state.meter.calls += 1
      return saveOrganization(state, structuredClone(organization))
    },

    async findOrganization(organizationId) {
      state.meter.calls += 1
      return state.tenants.get(organizationId)?.organization ?? null
    },

    async addKey(key) {
      state.meter.calls += 1
      if (state.keys.has(key.keyId)) throw new Error(`There is a key ${key.keyId} already`)
      state.keys.set(key.keyId, { ...key })
    },

    async listKeys(organizationId) {
      state.meter.calls += 1
      return [...state.keys.values()].filter((key) => key.organizationId === organizationId).sort(oldestFirst)
    },

    async revokeKey(keyId, revokedAt) {
      state.meter.calls += 1
      const key = state.keys.get(keyId)
      if (key === undefined) return false
      state.keys.set(keyId, { ...key, revokedAt: key.revokedAt ?? revokedAt })
      return true
    },

    async rehashKey(keyId, hash, secretVersion) {
      state.meter.calls += 1
      const key = state.keys.get(keyId)
      if (key === undefined || key.revokedAt !== null) return
      state.keys.set(keyId, { ...key, hash, secretVersion })
    },
  }
}

function saveOrganization(
  state: MemoryState,
  organization: Organization,
): 'saved' | 'slug_taken' | 'parent_missing' {
  const { tenants } = state
  const { organizationId, slug, parentId } = organization
  const others = [...tenants.values()].filter(
    (tenant) => tenant.organization.organizationId !== organizationId,
  )
  if (slug !== null && others.some((tenant) => tenant.organization.slug === slug)) return 'slug_taken'
  const isParent = (tenant: TenantState) => tenant.organization.organizationId === parentId
  if (parentId !== null && !others.some(isParent)) return 'parent_missing'
  const tenant = tenants.get(organizationId)
  if (tenant === undefined) {
    tenants.set(organizationId, { organization, clockMs: 0, collections: new Map(), outbox: new Map() })
    return 'saved'
  }
  if (tenant.organization.phoneCountry !== organization.phoneCountry) bumpForms(tenant)
  const formerParent = tenants.get(tenant.organization.parentId ?? '')
  const isMoved = tenant.organization.parentId !== parentId
  tenant.organization = organization
  if (!isMoved) return 'saved'
  if (formerParent !== undefined) hideReviews(formerParent, organizationId)
  showReviews(state, tenant)
  return 'saved'
}

/** Answers are read in the organization's country, so a form checked under another one has become another form. */
function bumpForms(tenant: TenantState): void {
  const forms = rowsOf(tenant, 'forms')
  for (const [id, form] of forms) forms.set(id, { ...form, version: (form.version as number) + 1 })
}

function oldestFirst(left: StoredKey, right: StoredKey): number {
  return compareBytes(left.createdAt, right.createdAt) || compareBytes(left.keyId, right.keyId)
}
