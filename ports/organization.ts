/**
 * The kinds of point-of-sale sources. Every other list of them is derived from this one, or fails to compile when it
 * lacks a kind.
 */
export type PosKind = 'legacy_vendor' | 'odbc_shared' | 'odbc_second'

/** The point-of-sale source that serves an organization: a kind of source and the tenant's name within it. */
export interface PosSourceTie {
  readonly kind: PosKind
  readonly tenant: string
}

/** One tenant, as the operator configured it. */
export interface Organization {
  readonly organizationId: string
  readonly name: string
  /** Local part of the tenant's sender address; null: the tenant cannot send email. */
  readonly slug: string | null
  /** The organization whose reviews collection also covers this one. */
  readonly parentId: string | null
  /** E.164; null: the tenant cannot send SMS from a number of its own. */
  readonly smsNumber: string | null
  /** ISO 3166-1 alpha-2 country in which national phone numbers are read. */
  readonly phoneCountry: string
  readonly posSource: PosSourceTie | null
  /** Whether the tenant's provider reports billing events. */
  readonly billingEvents: boolean
  /** Eligible for the members, cohorts and cancellations analytics. */
  readonly analytics: boolean
  readonly retentionOfferAnalytics: boolean
}
