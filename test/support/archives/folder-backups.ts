import { createFolderArchives } from '../../../adapters/archive-folder/index.ts'
import type { BackupWorld } from '../../../domain/organizations/backups.ts'
import { openNodeDigest } from '../../../host-worker/operator/commands/archive-files.ts'
import type { Clock } from '../../../ports/platform.ts'

/** Backups that are not encrypted, in a folder in place of a bucket. */
export function folderBackups(clock: Clock, folder: string): BackupWorld {
  return { archives: createFolderArchives(folder), openDigest: openNodeDigest, seal: null, clock }
}
