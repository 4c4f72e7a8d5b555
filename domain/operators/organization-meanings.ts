import type { Organization, PosSourceTie } from '../../ports/organizations/organization.ts'

/** What an organization's settings mean, alike in requests and responses of the operator interface. */
export const organizationMeanings = {
  slug: 'Local part of its email address; null: it sends no email.',
  parentId:
    'The organization that also reads its reviews; null: none. Set to null, it unties an organization, which is possible in the shared database only.',
  smsNumber: 'Its own number, in E.164; null: it sends by the short code alone.',
  posSource: 'Its point of sale; null: none.',
  billingEvents: 'Whether its provider reports what it bills.',
  analytics: 'Whether it may use the analytics endpoints.',
  retentionOfferAnalytics: 'Whether it may use the analytics of retention offers.',
  automationHourly: 'Most messages that its automations send within any hour.',
} satisfies Partial<Record<keyof Organization, string>>

/** What the members of an organization's point of sale mean, alike in requests and responses. */
export const posSourceMeanings: Readonly<Record<keyof PosSourceTie, string>> = {
  kind: 'The kind of system.',
  tenant: 'What tells the organization apart there.',
}
