import type { ImportKind, ImportRecord } from './kind.ts'
import { OWNER_FIELD } from './kind.ts'

/** The line without its owner, which was checked before. The owner stays when the kind stores a field of that name. */
export function withoutOwner(record: ImportRecord, kind: ImportKind): ImportRecord {
  if (!Object.hasOwn(record, OWNER_FIELD) || kind.typeOf(OWNER_FIELD) !== null) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== OWNER_FIELD))
}
