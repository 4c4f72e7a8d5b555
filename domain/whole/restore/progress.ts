import type { StoredValue } from '../../../ports/placement/move.ts'
import type { Restoration } from '../../../ports/whole/whole-store.ts'
import type { Manifest } from '../archive/format.ts'

/** What the service knows of an archive while it restores it. */
export interface RestoreProgress {
  readonly files: Manifest['files']
  /** The organization's row as it will be stored, by field. */
  readonly row: Readonly<Record<string, StoredValue>>
  readonly parentId: string | null
  /** Whether keys in the archive are for this organization. They contain its id, so under another one they are useless. */
  readonly isSameId: boolean
  /** Whether keys and the hashes of form passwords are in the archive. */
  readonly secrets: boolean
  /** How many rows of each file came so far. */
  readonly rows: Readonly<Record<string, number>>
  /** How many keys were not restored, because this service could not prove them. */
  readonly keysLeft: number
}

/** Only this service writes the text, so it needs no check. */
export function progressOf({ progress }: Restoration): RestoreProgress {
  return JSON.parse(progress) as RestoreProgress
}

/** How many rows of the archive came so far, and how many there are. */
export function rowsOf({ files, rows }: RestoreProgress): { readonly written: number; readonly all: number } {
  return {
    written: Object.values(rows).reduce((sum, count) => sum + count, 0),
    all: files.reduce((sum, file) => sum + file.rows, 0),
  }
}
