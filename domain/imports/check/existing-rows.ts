import type { StoredRow } from '../../../ports/records.ts'
import type { Lookup } from './check-part.ts'
import type { Completion, ImportKind } from '../kinds/kind.ts'

/** Finds the stored rows that these rows will replace, with the fields that the completion needs. */
export async function existingRows(
  rows: readonly StoredRow[],
  { collection, keyField }: ImportKind,
  { carries }: Completion,
  lookup: Pick<Lookup, 'findMany'>,
): Promise<(row: StoredRow) => StoredRow | null> {
  const keys = rows.map((row) => String(row[keyField]))
  const found = await lookup.findMany(collection, [keyField, ...carries], keys, keyField)
  const byKey = new Map(found.map((row) => [String(row[keyField]), row]))
  return (row) => byKey.get(String(row[keyField])) ?? null
}
