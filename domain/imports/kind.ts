import type { StoredRow } from '../../ports/query.ts'
import type { ImportContext, StorageType } from '../record/field.ts'
import type { ImportIssue } from '../record/resource.ts'

/** The row of a line, or everything that is wrong with the line. */
export type LineReading<Row> = { readonly row: Row } | { readonly issues: readonly ImportIssue[] }

/**
 * What a row still lacks when its line was read, because it depends on the row that it replaces. Drafts of rows are
 * stored in between, so that a draft holds no secret in clear text.
 */
export interface Completion {
  /** Stored fields of the row being replaced that both steps look at. */
  readonly carries: readonly string[]
  /** What is staged of a row that was read: the work that takes long is done here. */
  readonly draft: (row: StoredRow, existing: StoredRow | null) => Promise<StoredRow>
  /** The complete stored row, made when it is written. `existing` is the row that it replaces at that time. */
  readonly complete: (
    draft: StoredRow,
    context: ImportContext,
    existing: StoredRow | null,
  ) => Promise<StoredRow>
}

export type ImportRecord = Readonly<Record<string, unknown>>

/** A field whose value must be the id of a stored row of another collection. */
export interface Reference {
  readonly field: string
  readonly collection: string
  readonly idField: string
}

/** What can be imported under one name. */
export interface ImportKind {
  /** Name of the kind and of the stored collection. */
  readonly collection: string
  /** The field that tells lines apart and finds the row that a line replaces: the id, or the alternate key. */
  readonly keyField: string
  /** All the fields that tell lines apart: `keyField`, with others when its value recurs under each of theirs. */
  readonly key: readonly string[]
  /** A field whose value no problem may show; null: there is none. */
  readonly secretField: string | null
  /**
   * Whether an id belongs to one organization of the whole service, so that an import of another organization's id is
   * refused.
   */
  readonly serviceWideIds: boolean
  readonly references: readonly Reference[]
  /** How a field is stored, null for one that cannot be imported. Tells CSV cells apart. */
  readonly typeOf: (field: string) => StorageType | null
  /** What is wrong with a line's having this field, or null. */
  readonly problemOf: (field: string) => string | null
  /**
   * Reads the values of a line whose fields are all known. Does no expensive work. The row is complete, unless the kind
   * has a completion.
   */
  readonly read: (record: ImportRecord, context: ImportContext) => LineReading<StoredRow>
  /** Null: a row that was read is complete. */
  readonly completion: Completion | null
}

/** The key that names a row's owner. `--org` decides; a line may only say the same. */
export const OWNER_FIELD = 'organizationId'
