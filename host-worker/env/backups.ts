import type { R2Bucket } from '@cloudflare/workers-types'
import * as v from 'valibot'
import { binding, text, whenSet } from './variables.ts'

/** A public key of age. Its checksum is verified when it is used. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{6,2000}$/

const DAYS = /^[1-9]\d{0,4}$/

/** The variables of backups. */
export const backupEntries = {
  BACKUPS: binding<R2Bucket>(['put', 'list', 'createMultipartUpload'], 'must be an R2 bucket binding'),
  BACKUP_RECIPIENT: v.pipe(
    text,
    whenSet((given) => RECIPIENT.test(given), 'must be a public key of age (age1…)'),
  ),
  BACKUP_KEEP_DAYS: v.pipe(
    text,
    whenSet((given) => DAYS.test(given), 'must be a number of days'),
  ),
}

/** Where backups are stored, how they are encrypted, and for how many days they are kept. */
export interface BackupSettings {
  readonly bucket: R2Bucket
  /** Null: they are not encrypted. */
  readonly recipient: string | null
  readonly keepDays: number
}

/** For how many days backups are kept, unless the variable says otherwise. */
const KEEP_DAYS = 30

/** The settings of backups; null: there is no bucket for them. */
export function backupsOf(given: {
  readonly BACKUPS: R2Bucket | null
  readonly BACKUP_RECIPIENT: string
  readonly BACKUP_KEEP_DAYS: string
}): BackupSettings | null {
  const { BACKUPS: bucket, BACKUP_RECIPIENT: recipient, BACKUP_KEEP_DAYS: days } = given
  if (bucket === null) return null
  return {
    bucket,
    recipient: recipient === '' ? null : recipient,
    keepDays: days === '' ? KEEP_DAYS : Number(days),
  }
}
