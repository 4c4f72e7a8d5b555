import type { Organization } from '../../ports/organization.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import type { ImportContext } from '../contract/field.ts'
import type { ImportIssue } from '../contract/resource.ts'
import type { Entry, ImportProblem } from './entry.ts'
import type { ImportKind, ImportRecord, Reference } from './kind.ts'
import { OWNER_FIELD } from './kind.ts'
import { storabilityIssues } from './storable.ts'
import { idOf, withoutOwner } from './to-rows.ts'

interface Target {
  readonly kind: ImportKind
  readonly organization: Organization
  readonly writer: TenantWriter
}

interface NumberedRecord {
  readonly line: number
  readonly record: ImportRecord
}

/** Makes the check of one file, chunk by chunk: it remembers the ids of the chunks before. */
export function createChunkCheck(
  target: Target,
  context: ImportContext,
): (entries: readonly Entry[]) => Promise<readonly ImportProblem[]> {
  const lineOfId = new Map<string, number>()
  return async (entries) => {
    const records = entries.filter((entry): entry is NumberedRecord => 'record' in entry)
    const problems = [
      ...entries.flatMap((entry) => ('issue' in entry ? [{ line: entry.line, ...entry.issue }] : [])),
      ...records.flatMap(({ line, record }) =>
        lineIssues(record, target, context).map((issue) => ({ line, ...issue })),
      ),
      ...records.flatMap((entry) => repetition(entry, target.kind, lineOfId)),
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
  return unusable.length > 0 ? unusable : kind.issuesOf(withoutOwner(record, kind), context)
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
  lineOfId: Map<string, number>,
): readonly ImportProblem[] {
  const id = idOf(record, kind)
  const first = lineOfId.get(id)
  if (id === '') return []
  if (first !== undefined) return [{ line, field: kind.idField, message: `is the same as in line ${first}` }]
  lineOfId.set(id, line)
  return []
}

async function foreignIds(
  records: readonly NumberedRecord[],
  { kind, writer }: Target,
): Promise<readonly ImportProblem[]> {
  if (!kind.serviceWideIds) return []
  const ids = records.map(({ record }) => idOf(record, kind)).filter((id) => id !== '')
  const foreign = new Set(await writer.foreignIds(kind.collection, ids))
  return records
    .filter(({ record }) => foreign.has(idOf(record, kind)))
    .map(({ line }) => ({ line, field: kind.idField, message: 'belongs to another organization' }))
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
  writer: TenantWriter,
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
