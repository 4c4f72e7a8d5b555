import type { StoredRow, TenantWriter } from '../../../ports/records.ts'
import type { ImportContext, StorageType } from '../../record/field.ts'
import type { ImportIssue } from '../../record/resource.ts'

/** The row of a line, or all problems of the line. */
export type LineReading<Row> = { readonly row: Row } | { readonly issues: readonly ImportIssue[] }

/**
 * Completes a row in two steps, because some values depend on the row that it replaces. The drafts in between are
 * stored, so they must not contain a secret in clear text.
 */
export interface Completion {
  /** Stored fields of the row to be replaced that both steps need. */
  readonly carries: readonly string[]
  /** Makes the draft that is staged. Expensive work is done here. */
  readonly draft: (row: StoredRow, existing: StoredRow | null) => Promise<StoredRow>
  /** Makes the complete row from a draft, when it is written. `existing` is the row that it replaces at that time. */
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

/** A kind of rows that can be imported. */
export interface ImportKind {
  /** The name of the kind, which is also that of the stored collection. */
  readonly collection: string
  /** The field that tells lines apart and finds the row that a line replaces: the id, or the alternate key. */
  readonly keyField: string
  /**
   * All fields that together identify a line: `keyField`, and others when its value is unique only together with
   * theirs.
   */
  readonly key: readonly string[]
  /**
   * A field whose value no problem may show, and which is not stored in clear while its line is incomplete; null: there
   * is none. No message of such a kind may quote a received value.
   */
  readonly secretField: string | null
  /** Whether an id is unique in the whole service, so that importing an id of another organization is refused. */
  readonly serviceWideIds: boolean
  readonly references: readonly Reference[]
  /** The names of the fields that a line may have. */
  readonly names: readonly string[]
  /** How a field is stored; null for a field that cannot be imported. Decides how a CSV cell is read. */
  readonly typeOf: (field: string) => StorageType | null
  /** Why a line may not have this field; null: it may. */
  readonly problemOf: (field: string) => string | null
  /**
   * Reads the values of a line whose fields are all known. Must be cheap. The row is complete, unless the kind has a
   * completion.
   */
  readonly read: (record: ImportRecord, context: ImportContext) => LineReading<StoredRow>
  /** The completion of rows; null: rows are complete when they are read. */
  readonly completion: Completion | null
  /** What the operator should know of rows that are in order, as sentences; null: never anything. */
  readonly warn:
    | ((rows: readonly StoredRow[], lookup: Pick<TenantWriter, 'findMany'>) => Promise<readonly string[]>)
    | null
}
