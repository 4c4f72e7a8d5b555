import type { ArchivePosition } from '../../../ports/archives.ts'
import type { OrganizationFile } from './format.ts'

/** What an archive of an organization will contain, besides rows. */
export interface ArchiveHead {
  readonly organization: OrganizationFile
  readonly secrets: boolean
  /** The files with rows, in the order in which they are archived, with the columns of each. */
  readonly files: readonly { readonly file: string; readonly columns: readonly string[] }[]
}

/** Lines of a file: a row in each, every one ended by a line feed. */
export interface ArchiveLines {
  readonly lines: string
  readonly rows: number
  /** Null: these were the last. */
  readonly next: ArchivePosition | null
}

/** An organization to archive: in this process, or behind the operator interface. */
export interface ArchiveSource {
  head(): Promise<ArchiveHead>
  /** The organization's part of the head, read anew. */
  organization(): Promise<OrganizationFile>
  lines(file: string, after: ArchivePosition | null): Promise<ArchiveLines>
}
