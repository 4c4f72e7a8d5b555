import type { StoredRow } from '../../ports/records/query.ts'
import type { ImportContext } from '../record/field.ts'
import type { ImportIssue } from '../record/resource.ts'
import { conceal } from './conceal.ts'
import type { ImportKind, ImportRecord, LineReading } from './kind.ts'
import { OWNER_FIELD } from './kind.ts'
import { withoutOwner } from './record-owner.ts'
import { isReservedId } from './reserved-ids.ts'
import { storabilityIssues } from './storable.ts'

/** Reads one line: its row, or every problem that the line shows by itself. No problem shows a secret of the line. */
export function checkLine(
  record: ImportRecord,
  kind: ImportKind,
  context: ImportContext,
): LineReading<StoredRow> {
  const reading = readLine(record, kind, context)
  return 'row' in reading ? reading : { issues: reading.issues.map((issue) => conceal(issue, record, kind)) }
}

function readLine(record: ImportRecord, kind: ImportKind, context: ImportContext): LineReading<StoredRow> {
  const unusable = [...fieldIssues(record, kind, context), ...storabilityIssues(record)]
  if (unusable.length > 0) return { issues: unusable }
  const reading = kind.read(withoutOwner(record, kind), context)
  if ('issues' in reading || !isReservedId(kind.collection, kind.keyField, keyOf(record, kind)))
    return reading
  return {
    issues: [
      {
        field: kind.keyField,
        message: 'is reserved: the path of a route has another meaning with this word in the place of the id',
      },
    ],
  }
}

function fieldIssues(
  record: ImportRecord,
  kind: ImportKind,
  { organizationId }: ImportContext,
): readonly ImportIssue[] {
  const issues: ImportIssue[] = []
  for (const field of Object.keys(record)) {
    const message =
      field === OWNER_FIELD ? ownerProblem(record[field], organizationId) : kind.problemOf(field)
    if (message !== null) issues.push({ field, message })
  }
  return issues
}

function ownerProblem(given: unknown, organizationId: string): string | null {
  return given === organizationId ? null : `must be ${organizationId}, as --org says`
}

/** The values that identify a line among those of its kind; empty when the line lacks them. */
export function keyOf(record: ImportRecord, kind: ImportKind): string {
  const key = record[kind.keyField]
  return typeof key === 'string' ? key : ''
}
