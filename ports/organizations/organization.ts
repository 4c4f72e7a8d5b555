/**
 * The kinds of point-of-sale sources. Every other list of kinds is derived from this one, or does not compile when a
 * kind is missing.
 */
export type PosKind = 'legacy_vendor' | 'odbc_shared' | 'odbc_second'

/** The point-of-sale source of an organization: a kind of source, and the tenant's name in it. */
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
  /** The parent organization, whose reviews collection also includes the reviews of this one. */
  readonly parentId: string | null
  /** E.164; null: the tenant cannot send SMS from a number of its own. */
  readonly smsNumber: string | null
  /** The country in which national phone numbers are read (ISO 3166-1 alpha-2). */
  readonly phoneCountry: string
  readonly posSource: PosSourceTie | null
  /** Whether the tenant's provider reports billing events. */
  readonly billingEvents: boolean
  /** Whether the tenant may use the analytics of members, cohorts and cancellations. */
  readonly analytics: boolean
  readonly retentionOfferAnalytics: boolean
  /** The maximum number of messages that the tenant's automations send within any hour. */
  readonly automationHourly: number
}

/** What an organization may keep for a limited time: what came in through forms, and the log of what was sent. */
export type KeptKind = 'submissions' | 'sends'

/** For how many days an organization keeps each of them; null: for ever. */
export type RetentionSettings = Readonly<Record<KeptKind, number | null>>

/** What is stored of an organization as its settings. */
export interface StoredSettings {
  readonly organization: Organization
  readonly retention: RetentionSettings
}
