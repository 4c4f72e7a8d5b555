import type { ImportProblem } from '../../../ports/import-sessions.ts'
import type { StoredRow, TenantWriter } from '../../../ports/records.ts'
import type { ImportContext } from '../../record/field.ts'
import { checkLine, keyOf } from './check-line.ts'
import type { Entry } from '../file/entry.ts'
import type { ImportKind, ImportRecord, Reference } from '../kinds/kind.ts'
import { keyedLine, type KeyedLine } from './repetitions.ts'

/** The look-ups of stored data that the check needs. */
export type Lookup = Pick<TenantWriter, 'foreignIds' | 'findMany'>

/** The result of checking the lines of a part. */
export interface CheckedPart {
  /**
   * The problems in the order of the lines. Repeated keys are not among them, because only the whole file shows those.
   */
  readonly problems: readonly ImportProblem[]
  /** The rows of the lines without problems. */
  readonly rows: readonly StoredRow[]
  readonly keys: readonly KeyedLine[]
}

interface NumberedRecord {
  readonly line: number
  readonly record: ImportRecord
}

/** Checks the lines of a part, each by itself and against what is stored. */
export async function checkPart(
  entries: readonly Entry[],
  kind: ImportKind,
  context: ImportContext,
  lookup: Lookup,
): Promise<CheckedPart> {
  const problems: ImportProblem[] = []
  const records: NumberedRecord[] = []
  const rows: StoredRow[] = []
  const keys: KeyedLine[] = []
  for (const entry of entries) {
    if ('issue' in entry) {
      problems.push({ line: entry.line, ...entry.issue })
      continue
    }
    const { line } = entry
    const record = withTrimmedIds(entry.record, kind)
    records.push({ line, record })
    const reading = checkLine(record, kind, context)
    if ('row' in reading) rows.push(reading.row)
    else for (const issue of reading.issues) problems.push({ line, ...issue })
    // Keys are stored. In a line that does not fit, a secret may stand where the key is expected.
    const isKeyed = 'row' in reading || kind.secretField === null
    const keyed = isKeyed ? keyedLine(line, record, kind) : null
    if (keyed !== null) keys.push(keyed)
  }
  problems.push(...(await foreignIds(records, kind, lookup)), ...(await dangling(records, kind, lookup)))
  return { problems: problems.sort((left, right) => left.line - right.line), rows, keys }
}

/**
 * The line with the ids trimmed by which it is told from others and refers to them, as its row has them, so that ` a `
 * and `a` are one id even in a line that cannot be read.
 */
function withTrimmedIds(record: ImportRecord, { key, references }: ImportKind): ImportRecord {
  const ids = [...key, ...references.map(({ field }) => field)].flatMap((field) => {
    const id = record[field]
    return typeof id === 'string' ? [[field, id.trim()] as const] : []
  })
  return { ...record, ...Object.fromEntries(ids) }
}

async function foreignIds(
  records: readonly NumberedRecord[],
  kind: ImportKind,
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  if (!kind.serviceWideIds) return []
  const keyed = records.map(({ line, record }) => ({ line, key: keyOf(record, kind) }))
  return foreignProblems(
    keyed.filter(({ key }) => key !== ''),
    kind,
    lookup,
  )
}

/** The problems of lines whose id is unique in the whole service and belongs to another organization. */
export async function foreignProblems(
  keys: readonly KeyedLine[],
  { collection, keyField }: ImportKind,
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  const ids = keys.map(({ key }) => key)
  const foreign = new Set(await lookup.foreignIds(collection, ids))
  return keys
    .filter(({ key }) => foreign.has(key))
    .map(({ line }) => ({ line, field: keyField, message: 'belongs to another organization' }))
}

async function dangling(
  records: readonly NumberedRecord[],
  kind: ImportKind,
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  const found: ImportProblem[] = []
  for (const reference of kind.references) found.push(...(await danglingBy(reference, records, lookup)))
  return found
}

async function danglingBy(
  { field, collection, idField }: Reference,
  records: readonly NumberedRecord[],
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  const referring = records.filter(({ record }) => typeof record[field] === 'string')
  const ids = new Set(referring.map(({ record }) => String(record[field])))
  const rows = ids.size === 0 ? [] : await lookup.findMany(collection, [idField], [...ids])
  const stored = new Set(rows.map((row) => row[idField]))
  return referring
    .filter(({ record }) => !stored.has(record[field]))
    .map(({ line }) => ({
      line,
      field,
      message: `names none of the ${collection} stored for this organization`,
    }))
}
