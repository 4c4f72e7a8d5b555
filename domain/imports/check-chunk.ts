import type { Organization } from '../../ports/organization.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import type { ImportContext } from '../record/field.ts'
import type { ImportIssue } from '../record/resource.ts'
import { conceal } from './conceal.ts'
import type { Entry, ImportProblem } from './entry.ts'
import type { ImportKind, ImportRecord, Reference } from './kind.ts'
import { OWNER_FIELD } from './kind.ts'
import { isReservedId } from './reserved-ids.ts'
import { storabilityIssues } from './storable.ts'
import { keyOf, withoutOwner } from './to-rows.ts'

/** The stored data that the check looks up. */
type Lookup = Pick<TenantWriter, 'foreignIds' | 'findMany'>

interface Target {
  readonly kind: ImportKind
  readonly organization: Organization
  readonly writer: Lookup
}

interface NumberedRecord {
  readonly line: number
  readonly record: ImportRecord
}

/** Makes the check of one file, chunk by chunk: it remembers the keys of the chunks before. */
export function createChunkCheck(
  target: Target,
  context: ImportContext,
): (entries: readonly Entry[]) => Promise<readonly ImportProblem[]> {
  const lineOfKey = new Map<string, number>()
  return async (entries) => {
    const records = entries.filter((entry): entry is NumberedRecord => 'record' in entry)
    const problems = [
      ...entries.flatMap((entry) => ('issue' in entry ? [{ line: entry.line, ...entry.issue }] : [])),
      ...records.flatMap(({ line, record }) =>
        lineIssues(record, target, context).map((issue) => ({
          line,
          ...conceal(issue, record, target.kind),
        })),
      ),
      ...records.flatMap((entry) => repetition(entry, target.kind, lineOfKey)),
      ...(await foreignIds(records, target)),
      ...(await danglingReferences(records, target)),
    ]
    return problems.sort((left, right) => left.line - right.line)
  }
}

function lineIssues(
  record: ImportRecord,
  { kind, organization }: Target,
  context: ImportContext,
): readonly ImportIssue[] {
  const issues = Object.entries(record).flatMap(([field, value]) =>
    keyIssues(field, value, kind, organization),
  )
  const unusable = [...issues, ...storabilityIssues(record)]
  if (unusable.length > 0) return unusable
  const found = kind.issuesOf(withoutOwner(record, kind), context)
  if (found.length > 0 || !isReservedId(kind.collection, keyOf(record, kind))) return found
  return [{ field: kind.keyField, message: 'is reserved: a route has this word where the id stands' }]
}

function keyIssues(
  field: string,
  value: unknown,
  kind: ImportKind,
  owner: Organization,
): readonly ImportIssue[] {
  if (field === OWNER_FIELD) {
    return value === owner.organizationId
      ? []
      : [{ field, message: `must be ${owner.organizationId}, as --org says` }]
  }
  const problem = kind.problemOf(field)
  return problem === null ? [] : [{ field, message: problem }]
}

function repetition(
  { line, record }: NumberedRecord,
  kind: ImportKind,
  lineOfKey: Map<string, number>,
): readonly ImportProblem[] {
  const parts = kind.key.map((field) => record[field])
  const key = parts.every((part) => typeof part === 'string' && part !== '') ? JSON.stringify(parts) : ''
  const first = lineOfKey.get(key)
  if (key === '') return []
  if (first !== undefined) return [{ line, field: kind.keyField, message: `is the same as in line ${first}` }]
  lineOfKey.set(key, line)
  return []
}

async function foreignIds(
  records: readonly NumberedRecord[],
  { kind, writer }: Target,
): Promise<readonly ImportProblem[]> {
  if (!kind.serviceWideIds) return []
  const ids = records.map(({ record }) => keyOf(record, kind)).filter((id) => id !== '')
  const foreign = new Set(await writer.foreignIds(kind.collection, ids))
  return records
    .filter(({ record }) => foreign.has(keyOf(record, kind)))
    .map(({ line }) => ({ line, field: kind.keyField, message: 'belongs to another organization' }))
}

async function danglingReferences(
  records: readonly NumberedRecord[],
  { kind, writer }: Target,
): Promise<readonly ImportProblem[]> {
  const found: ImportProblem[] = []
  for (const reference of kind.references) found.push(...(await dangling(records, reference, writer)))
  return found
}

async function dangling(
  records: readonly NumberedRecord[],
  { field, collection, idField }: Reference,
  writer: Lookup,
): Promise<readonly ImportProblem[]> {
  const referring = records.filter(({ record }) => typeof record[field] === 'string')
  const ids = new Set(referring.map(({ record }) => String(record[field])))
  const rows = ids.size === 0 ? [] : await writer.findMany(collection, [idField], [...ids])
  const stored = new Set(rows.map((row) => row[idField]))
  return referring
    .filter(({ record }) => !stored.has(record[field]))
    .map(({ line }) => ({
      line,
      field,
      message: `names none of the ${collection} stored for this organization`,
    }))
}
