import { keysOf } from '../../text/json.ts'

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
  'form.save': 'Save forms',
  'form.publish': 'Publish forms',
  'import.open': 'Open an import',
  'import.commit': 'Commit an import',
  'import.abort': 'Abort an import',
  'outbox.retry': 'Retry an entry of the outbox',
} as const

export type AuditAction = keyof typeof auditActionWords

export const auditActions: readonly AuditAction[] = keysOf(auditActionWords)
