import type { StoredKey } from '../../../ports/organizations/administration.ts'
import type { Organization, PosKind } from '../../../ports/organizations/organization.ts'
import { columnsOf } from './field-columns.ts'

/** Row of the table `api_keys`. */
export interface KeyRow {
  readonly key_id: string
  readonly kind: StoredKey['kind']
  readonly organization_id: string | null
  readonly hash: string
  readonly secret_version: string
  readonly created_at: string
  readonly revoked_at: string | null
  readonly label: string | null
  readonly scope: StoredKey['scope']
  readonly expires_at: string | null
  readonly rate_per_minute: number | null
  readonly last_used_at: string | null
  readonly successor_id: string | null
}

/** The columns of `api_keys`. */
export const keyColumns = columnsOf<KeyRow>({
  key_id: true,
  kind: true,
  organization_id: true,
  hash: true,
  secret_version: true,
  created_at: true,
  revoked_at: true,
  label: true,
  scope: true,
  expires_at: true,
  rate_per_minute: true,
  last_used_at: true,
  successor_id: true,
})

/** Row of the table `organizations`, without its clock. */
export interface OrganizationRow {
  readonly organization_id: string
  readonly name: string
  readonly slug: string | null
  readonly parent_id: string | null
  readonly sms_number: string | null
  readonly phone_country: string
  readonly pos_kind: PosKind | null
  readonly pos_tenant: string | null
  readonly billing_events: number
  readonly analytics: number
  readonly retention_offer_analytics: number
  readonly automation_hourly: number
}

/** The columns of `organizations` that hold an organization's settings. */
export const settingColumns = columnsOf<Omit<OrganizationRow, 'organization_id'>>({
  name: true,
  slug: true,
  parent_id: true,
  sms_number: true,
  phone_country: true,
  pos_kind: true,
  pos_tenant: true,
  billing_events: true,
  analytics: true,
  retention_offer_analytics: true,
  automation_hourly: true,
})

export function keyFromRow(key: KeyRow): StoredKey {
  return {
    keyId: key.key_id,
    kind: key.kind,
    organizationId: key.organization_id,
    hash: key.hash,
    secretVersion: key.secret_version,
    createdAt: key.created_at,
    revokedAt: key.revoked_at,
    label: key.label,
    scope: key.scope,
    expiresAt: key.expires_at,
    ratePerMinute: key.rate_per_minute,
    lastUsedAt: key.last_used_at,
    successorId: key.successor_id,
  }
}

export function keyToRow(key: StoredKey): KeyRow {
  return {
    key_id: key.keyId,
    kind: key.kind,
    organization_id: key.organizationId,
    hash: key.hash,
    secret_version: key.secretVersion,
    created_at: key.createdAt,
    revoked_at: key.revokedAt,
    label: key.label,
    scope: key.scope,
    expires_at: key.expiresAt,
    rate_per_minute: key.ratePerMinute,
    last_used_at: key.lastUsedAt,
    successor_id: key.successorId,
  }
}

export function organizationFromRow(organization: OrganizationRow): Organization {
  const { pos_kind: kind, pos_tenant: tenant } = organization
  return {
    organizationId: organization.organization_id,
    name: organization.name,
    slug: organization.slug,
    parentId: organization.parent_id,
    smsNumber: organization.sms_number,
    phoneCountry: organization.phone_country,
    posSource: kind === null || tenant === null ? null : { kind, tenant },
    billingEvents: organization.billing_events === 1,
    analytics: organization.analytics === 1,
    retentionOfferAnalytics: organization.retention_offer_analytics === 1,
    automationHourly: organization.automation_hourly,
  }
}

export function organizationToRow(organization: Organization): OrganizationRow {
  return {
    organization_id: organization.organizationId,
    name: organization.name,
    slug: organization.slug,
    parent_id: organization.parentId,
    sms_number: organization.smsNumber,
    phone_country: organization.phoneCountry,
    pos_kind: organization.posSource?.kind ?? null,
    pos_tenant: organization.posSource?.tenant ?? null,
    billing_events: Number(organization.billingEvents),
    analytics: Number(organization.analytics),
    retention_offer_analytics: Number(organization.retentionOfferAnalytics),
    automation_hourly: organization.automationHourly,
  }
}
