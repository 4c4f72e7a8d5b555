import type { StoredValue } from '../../../ports/placement/move.ts'
import type { ArchivedColumn } from '../../../ports/archives.ts'
import { archivedValueProblem } from '../../imports/storable.ts'
import { membersOf, parsedOr } from '../../text/json.ts'
import { WITHHELD } from './format.ts'

type Row = readonly StoredValue[]

/** The values of a row as an archive has them, by their fields. */
export function membersOfRow(
  row: Row,
  columns: readonly ArchivedColumn[],
  withSecrets: boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map((column, index) => [column.field, archivedValue(row[index] ?? null, column, withSecrets)]),
  )
}

function archivedValue(
  value: StoredValue,
  { holds, isSecret }: ArchivedColumn,
  withSecrets: boolean,
): unknown {
  if (value === null) return null
  if (isSecret && !withSecrets) return WITHHELD
  if (holds === 'truth') return value === 1
  return holds === 'document' ? archivedDocument(String(value)) : value
}

/**
 * A JSON document as a part of the line. Where that would not give the same text back, it is the text itself, and so is
 * every document that is not an object or a list.
 */
function archivedDocument(text: string): unknown {
  const value = parsedOr(text, undefined)
  return typeof value === 'object' && value !== null && JSON.stringify(value) === text ? value : text
}

/** A row of an archive, or what is wrong with it. */
export type ReadRow = { readonly row: Row } | { readonly problem: string }

/** Reads an object of an archive as the row of a table, with values for these columns and no others. */
export function rowOfMembers(value: unknown, columns: readonly ArchivedColumn[]): ReadRow {
  const members = membersOf(value)
  const unknown = Object.keys(members).find((name) => !columns.some(({ field }) => field === name))
  if (unknown !== undefined) return { problem: `has a field ${unknown} that the manifest does not name` }
  const row: StoredValue[] = []
  for (const column of columns) {
    const given = members[column.field]
    const unstorable = archivedValueProblem(given)
    if (unstorable !== null) return { problem: `has a value for ${column.field} that ${unstorable}` }
    const stored = storedValue(given, column)
    if (stored === undefined) return { problem: `has no valid value for ${column.field}` }
    row.push(stored)
  }
  return { row }
}

/** The stored form of a value; undefined: the column cannot hold it. */
function storedValue(value: unknown, { type, holds, isNullable }: ArchivedColumn): StoredValue | undefined {
  if (value === null) return isNullable ? null : undefined
  if (holds === 'truth') return typeof value === 'boolean' ? Number(value) : undefined
  if (holds === 'document') {
    if (typeof value === 'object') return JSON.stringify(value)
    if (typeof value !== 'string') return undefined
    const document = parsedOr(value, undefined)
    return document === undefined || archivedValueProblem(document) !== null ? undefined : value
  }
  if (type === 'text') return typeof value === 'string' ? value : undefined
  if (typeof value !== 'number') return undefined
  return type === 'real' || Number.isSafeInteger(value) ? value : undefined
}
