/** Who may call an endpoint. */
export type Access = 'public' | 'tenant' | 'tenant_or_platform'

/** What an endpoint does, for which a key can be restricted: it reads data, or sends messages. */
export type Scope = 'read' | 'send'

/** Groups of operations in the contract document, in its order. */
export const tags = [
  'Sites',
  'Products',
  'Checkout links',
  'Purchases',
  'Contacts',
  'Contact lists',
  'Marketing',
  'Forms',
  'Form submission',
  'Vouchers',
  'Links',
  'Automations',
  'Surveys',
  'Cases',
  'Reviews',
  'Cancellations',
  'Point of sale',
  'Messaging',
  'Analytics',
  'Contract',
] as const
export type Tag = (typeof tags)[number]

/** The texts about an endpoint in the contract document. */
export interface Described {
  /** One line, imperative. */
  readonly summary: string
  readonly description?: string
  readonly tag: Tag
  readonly deprecated?: boolean
}
