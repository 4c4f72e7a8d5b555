import type { StoredRow } from '../../../ports/records.ts'
import { echoed } from '../../bounds/echo.ts'
import type { ImportContext } from '../../record/field.ts'
import type { ImportIssue } from '../../record/resource.ts'
import { conceal } from '../kinds/conceal.ts'
import type { ImportKind, ImportRecord, LineReading } from '../kinds/kind.ts'
import { OWNER_FIELD } from '../file/header.ts'
import { isReservedId } from './reserved-ids.ts'
import { storabilityIssues } from './storable.ts'

/** Reads one line: its row, or every problem that the line shows by itself. No problem shows a secret of the line. */
export function checkLine(
  record: ImportRecord,
  kind: ImportKind,
  context: ImportContext,
): LineReading<StoredRow> {
  const reading = readLine(record, kind, context)
  if ('row' in reading) return reading
  const hidden = reading.issues.map((issue) => conceal(issue, record, kind))
  return { issues: hidden.map(({ field, message }) => ({ field: echoed(field), message })) }
}

function readLine(record: ImportRecord, kind: ImportKind, context: ImportContext): LineReading<StoredRow> {
  const unusable = [...fieldIssues(record, kind, context), ...storabilityIssues(record)]
  const wrong = new Set(unusable.map(({ field }) => field))
  // What is wrong with a field already is not judged again.
  const known = Object.fromEntries(Object.entries(record).filter(([field]) => kind.names.includes(field)))
  const reading = kind.read(known, context)
  const others = 'issues' in reading ? reading.issues.filter(({ field }) => !wrong.has(field)) : []
  const found = [...unusable, ...others]
  const issues = found.some(({ field }) => field === kind.keyField)
    ? found
    : [...found, ...reservedIssues(record, kind)]
  return issues.length > 0 ? { issues } : reading
}

function reservedIssues(record: ImportRecord, kind: ImportKind): readonly ImportIssue[] {
  if (!isReservedId(kind.collection, kind.keyField, keyOf(record, kind))) return []
  const message =
    'is reserved: the path of a route has another meaning with this word in the place of the id. Choose another id'
  return [{ field: kind.keyField, message }]
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
  return typeof given === 'string' && given.trim() === organizationId
    ? null
    : `must be ${organizationId}, the organization into which the file is imported`
}

/** The values that identify a line among those of its kind; empty when the line lacks them. */
export function keyOf(record: ImportRecord, kind: ImportKind): string {
  const key = record[kind.keyField]
  return typeof key === 'string' ? key : ''
}
