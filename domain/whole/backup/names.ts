import { isOrganizationId } from '../../access/api-key.ts'

/** What the name of a backup says. */
export interface BackupName {
  readonly organizationId: string
  /** The UTC instant at which the backup was begun. */
  readonly at: string
  readonly isEncrypted: boolean
}

const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z)\.([A-Za-z0-9_-]+)\.tar(\.age)?$/

/** The name of a backup. Names sort by the instant, so that the oldest are listed first. */
export function backupName({ organizationId, at, isEncrypted }: BackupName): string {
  return `${startOfName(at)}.${organizationId}.tar${isEncrypted ? '.age' : ''}`
}

/** The beginning of the names of backups from an instant. */
export function startOfName(at: string): string {
  return at.replaceAll(/[:.]/g, '-')
}

/** Reads the name of a backup; null: it is none. */
export function readBackupName(name: string): BackupName | null {
  const [, at = '', organizationId = '', encrypted] = NAME.exec(name) ?? []
  if (!isOrganizationId(organizationId)) return null
  const instant = at.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, 'T$1:$2:$3.$4Z')
  return { organizationId, at: instant, isEncrypted: encrypted !== undefined }
}
