import type { OperatorRole } from '../../ports/organizations.ts'
import { keysOf } from '../text/encoding.ts'

/** Who may call an endpoint of the public interface. */
export type PublicAccess = 'public' | 'tenant' | 'tenant_or_platform'

/**
 * Who may call an endpoint of the operator interface: anybody; whoever is signed in, by whatever; an operator with at
 * least this role; or, to get the first operator key, the holder of the root secret.
 */
export type OperatorAccess = 'public' | 'signed_in' | OperatorRole | 'admin_or_root_secret'

/** The roles of people in an organization. An owner may do everything that a member may. */
export type OrganizationRole = 'owner' | 'member'

/** Who may call an endpoint. */
export type Access = PublicAccess | OperatorAccess

/** The kinds of calls to which a key can be restricted: reading data, or sending messages. */
export type Scope = 'read' | 'send'

/** Groups of operations in the contract document of the public interface, in its order. */
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
  'Removals',
  'Point of sale',
  'Messaging',
  'Analytics',
  'Contract',
] as const

/** Groups of operations in the document of the operator interface, in its order. */
export const operatorTags = [
  'Organizations',
  'Archives',
  'Removal',
  'Keys',
  'Operator keys',
  'People',
  'Form definitions',
  'Automations',
  'Imports',
  'Outbox',
  'Sends',
  'Webhooks',
  'Audit',
  'Service',
] as const

type Tag = (typeof tags)[number] | (typeof operatorTags)[number]

/** The texts about an endpoint in the contract document. */
export interface Described {
  /** One line, in the imperative. */
  readonly summary: string
  readonly description?: string
  readonly tag: Tag
  readonly deprecated?: boolean
}

/** The changes that operators make, as the audit names them, each in words. */
export const auditActionWords = {
  'organization.save': 'Save an organization',
  'organization.move': 'Move an organization',
  'organization.abortMove': 'Abort a move',
  'organization.export': 'Export an organization',
  'organization.restore': 'Restore an organization',
  'organization.delete': 'Delete an organization',
  'organization.backup': 'Back up an organization',
  'rows.delete': 'Delete rows',
  'submission.mark': 'Mark submissions',
  'submission.delete': 'Delete submissions',
  'contact.erase': 'Erase a person',
  'retention.set': 'Set the retention',
  'backup.delete': 'Delete a backup',
  'backup.read': 'Read a backup',
  'backup.remove': 'Remove a backup',
  'key.issue': 'Issue a key',
  'key.revoke': 'Revoke a key',
  'key.rotate': 'Rotate a key',
  'operatorKey.issue': 'Issue an operator key',
  'operatorKey.revoke': 'Revoke an operator key',
  'person.save': 'Give a person a role',
  'person.remove': 'Remove a person',
  'person.endSessions': 'End the sessions of a person',
  'form.save': 'Save forms',
  'form.publish': 'Publish forms',
  'form.restore': 'Save versions of forms again',
  'automation.save': 'Save automations',
  'automation.status': 'Pause or resume an automation',
  'automation.test': 'Send a test of an automation',
  'webhook.create': 'Create a webhook',
  'webhook.update': 'Change a webhook',
  'webhook.rotate': 'Rotate the secret of a webhook',
  'webhook.delete': 'Delete a webhook',
  'webhook.test': 'Test a webhook',
  'webhook.resend': 'Send deliveries to a webhook again',
  'import.open': 'Open an import',
  'import.commit': 'Commit an import',
  'import.abort': 'Abort an import',
  'outbox.retry': 'Retry an entry of the outbox',
} as const

export type AuditAction = keyof typeof auditActionWords

export const auditActions: readonly AuditAction[] = keysOf(auditActionWords)
