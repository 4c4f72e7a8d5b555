/** The changes that operators make, as the audit names them. */
export const auditActions = [
  'organization.save',
  'organization.move',
  'organization.abortMove',
  'organization.export',
  'organization.restore',
  'organization.delete',
  'organization.backup',
  'rows.delete',
  'contact.erase',
  'retention.set',
  'backup.delete',
  'backup.read',
  'backup.remove',
  'key.issue',
  'key.revoke',
  'key.rotate',
  'operatorKey.issue',
  'operatorKey.revoke',
  'form.save',
  'form.publish',
  'import.open',
  'import.commit',
  'import.abort',
  'outbox.retry',
] as const

export type AuditAction = (typeof auditActions)[number]
