import type { StoredRow } from '../../ports/query.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import type { ImportContext } from '../record/field.ts'
import type { Entry } from './entry.ts'
import type { ImportKind, ImportRecord } from './kind.ts'
import { OWNER_FIELD } from './kind.ts'

type Lookup = Pick<TenantWriter, 'findMany'>

/** The complete stored rows of checked entries. */
export async function toRows(
  { kind, writer }: { readonly kind: ImportKind; readonly writer: Lookup },
  context: ImportContext,
  entries: readonly Entry[],
): Promise<readonly StoredRow[]> {
  const records = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []))
  const existing = await existingRows(kind, writer, records)
  const rows: StoredRow[] = []
  for (const record of records) {
    rows.push(
      await kind.toRow(withoutOwner(record, kind), context, existing.get(keyOf(record, kind)) ?? null),
    )
  }
  return rows
}

/** The line without its owner, which the check compared, unless the kind stores a field of that name. */
export function withoutOwner(record: ImportRecord, kind: ImportKind): ImportRecord {
  if (!Object.hasOwn(record, OWNER_FIELD) || kind.typeOf(OWNER_FIELD) !== null) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== OWNER_FIELD))
}

/** The values that identify a line among those of its kind; empty when the line lacks them. */
export function keyOf(record: ImportRecord, kind: ImportKind): string {
  const key = record[kind.keyField]
  return typeof key === 'string' ? key : ''
}

async function existingRows(
  kind: ImportKind,
  writer: Lookup,
  records: readonly ImportRecord[],
): Promise<ReadonlyMap<string, StoredRow>> {
  if (kind.carries.length === 0) return new Map()
  const { collection, keyField, carries } = kind
  const keys = records.map((record) => keyOf(record, kind))
  const rows = await writer.findMany(collection, [keyField, ...carries], keys, keyField)
  return new Map(rows.map((row) => [String(row[keyField]), row]))
}
