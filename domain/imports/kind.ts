import type { StoredRow } from '../../ports/query.ts'
import type { ImportContext, StorageType } from '../record/field.ts'
import type { ImportIssue } from '../record/resource.ts'

/** The stored row of a line, or everything that is wrong with the line. */
export type LineReading<Row> = { readonly row: Row } | { readonly issues: readonly ImportIssue[] }

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
  /** Stored fields of the row being replaced that `toRow` looks at. */
  readonly carries: readonly string[]
  /** How a field is stored, null for one that cannot be imported. Tells CSV cells apart. */
  readonly typeOf: (field: string) => StorageType | null
  /** What is wrong with a line's having this field, or null. */
  readonly problemOf: (field: string) => string | null
  /** Everything that is wrong with the values of a line whose fields are all known. Does no expensive work. */
  readonly issuesOf: (record: ImportRecord, context: ImportContext) => readonly ImportIssue[]
  /** The complete stored row of a line that has no issues. `existing` is the row that it replaces. */
  readonly toRow: (
    record: ImportRecord,
    context: ImportContext,
    existing: StoredRow | null,
  ) => Promise<StoredRow>
}

/** The key that names a row's owner. `--org` decides; a line may only say the same. */
export const OWNER_FIELD = 'organizationId'
