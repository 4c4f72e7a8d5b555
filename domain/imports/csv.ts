import type { StorageType } from '../record/field.ts'
import type { ImportIssue } from '../record/resource.ts'
import { parsedOr } from '../text/json.ts'
import type { CellsReading } from './csv-cells.ts'
import { splitCells } from './csv-cells.ts'
import type { Entry, UnreadableEntry } from './entry.ts'
import { unreadable } from './entry.ts'
import type { Line } from './lines.ts'
import { LINE_MAX_BYTES } from './lines.ts'

/** What a CSV reader must know of the fields: text alone does not say whether `12` is a number. */
export interface Columns {
  /** How the field is stored; null: there is no such field. Its line is then refused with the name of the field. */
  typeOf(field: string): StorageType | null
  /** Why this field cannot be imported; null: it can. */
  problemOf(field: string): string | null
  /**
   * A field whose value no problem may show; null: there is none. In a file without a header it would stand where the
   * names of fields are expected.
   */
  readonly secretField: string | null
}

/** The header of a CSV file, as it was read. */
export type Header =
  | { readonly kind: 'fields'; readonly names: readonly string[] }
  /** With a faulty header the rows have no meaning, so they are not read. */
  | { readonly kind: 'faulty' }

/** The result of reading one record, and where the next one begins. */
export interface RecordReading {
  /**
   * The entry of the record. Several for a header with several faults; none for a correct header and for a blank line.
   */
  readonly entries: readonly Entry[]
  /** The number of the line after the record. */
  readonly nextLine: number
  /** Where that line begins in the bytes. */
  readonly end: number
}

export interface CsvReader {
  /** Reads complete records. A record that is still open at the end of the lines is left out. */
  read(lines: Iterable<Line>): Generator<RecordReading>
  /** The header; null: not read yet. */
  header(): Header | null
}

/** Why an open record is refused when the file ends, or when it grows beyond what one row can hold. */
export const NEVER_ENDS = 'has a quoted cell that never ends'
export const NEVER_ENDS_OR_TOO_LONG = `${NEVER_ENDS}, or is too long`

/**
 * Reads CSV: the first record contains the field names, and each further one is a record. An empty cell is an absent
 * field. Numbers, booleans (`true`, `false`) and JSON are read as the field is stored; a cell that does not fit stays
 * text, and the field's schema then refuses it.
 * @param known the header, when an earlier part of the same file contained it
 */
export function createCsvReader(columns: Columns, known: Header | null): CsvReader {
  let header = known
  const entriesOf = (reading: CsvRecord | UnreadableEntry): readonly Entry[] => {
    if (header?.kind === 'faulty') return []
    if (header !== null) return ['issue' in reading ? reading : toEntry(reading, header.names, columns)]
    const { found, entries } = readHeader(reading, columns)
    header = found
    return entries
  }
  return {
    *read(lines) {
      for (const { reading, nextLine, end } of recordsOf(lines)) {
        yield { entries: reading === null ? [] : entriesOf(reading), nextLine, end }
      }
    },
    header: () => header,
  }
}

function readHeader(
  reading: CsvRecord | UnreadableEntry,
  columns: Columns,
): { readonly found: Header; readonly entries: readonly Entry[] } {
  if ('issue' in reading) return { found: { kind: 'faulty' }, entries: [reading] }
  const names = reading.cells.map((cell) => cell.trim())
  const issues = headerIssues(names, columns)
  if (issues.length === 0) return { found: { kind: 'fields', names }, entries: [] }
  return { found: { kind: 'faulty' }, entries: issues.map((issue) => ({ line: reading.line, issue })) }
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

/** A complete record; `reading` is null for a blank line. */
interface ClosedRecord extends Pick<RecordReading, 'nextLine' | 'end'> {
  readonly reading: CsvRecord | UnreadableEntry | null
}

/** Joins lines while a quoted cell is open. A record has the number of its first line. */
function* recordsOf(lines: Iterable<Line>): Generator<ClosedRecord> {
  let open: OpenRecord | null = null
  for (const line of lines) {
    const after = { nextLine: line.number + 1, end: line.end }
    if (open === null && line.text?.trim() === '') {
      yield { reading: null, ...after }
      continue
    }
    const next: OpenRecord = extended(open, line)
    const cells: CellsReading | null =
      next.problem === null ? readRecord(next, open !== null, line.text ?? '') : null
    open = cells?.kind === 'open' ? next : null
    if (open === null) yield { reading: closed(next, cells), ...after }
  }
}

function closed({ line, problem }: OpenRecord, reading: CellsReading | null): CsvRecord | UnreadableEntry {
  if (reading?.kind === 'cells') return { line, cells: reading.cells }
  if (reading?.kind === 'invalid') return unreadable(line, reading.message)
  return unreadable(line, problem ?? NEVER_ENDS)
}

/** A record that may continue in the next line. */
interface OpenRecord {
  readonly line: number
  readonly parts: string[]
  readonly byteLength: number
  readonly problem: string | null
}

function extended(open: OpenRecord | null, { number, text, problem, byteLength: added }: Line): OpenRecord {
  const { line, parts, byteLength } = open ?? { line: number, parts: new Array<string>(), byteLength: 0 }
  if (text === null) return { line: number, parts, byteLength, problem: problem ?? 'cannot be read' }
  parts.push(text)
  const total = byteLength + added
  return {
    line,
    parts,
    byteLength: total,
    problem: total > LINE_MAX_BYTES ? NEVER_ENDS_OR_TOO_LONG : null,
  }
}

/** Splits a record unless its last line cannot have closed the open cell: that takes an odd number of quotes. */
function readRecord(record: OpenRecord, wasOpen: boolean, last: string): CellsReading {
  if (wasOpen && last.split('"').length % 2 === 1) return { kind: 'open' }
  const text = record.parts.join('\n')
  return splitCells(text.endsWith('\r') ? text.slice(0, -1) : text)
}

function headerIssues(header: readonly string[], columns: Columns): readonly ImportIssue[] {
  return header.flatMap((field, index) => {
    const column = `column ${index + 1}`
    if (field === '') return [{ field: column, message: 'has no name' }]
    const problem = columns.problemOf(field)
    const shown = problem === null || columns.secretField === null ? field : column
    if (header.indexOf(field) !== index) return [{ field: shown, message: 'stands in the header twice' }]
    return problem === null ? [] : [{ field: shown, message: problem }]
  })
}

function toEntry({ line, cells }: CsvRecord, header: readonly string[], columns: Columns): Entry {
  if (cells.length !== header.length) {
    return unreadable(line, `has ${cells.length} cells where the header has ${header.length}`)
  }
  const record: Record<string, unknown> = {}
  for (const [index, field] of header.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    const value = readCell(cell, columns.typeOf(field))
    if (value === undefined) return { line, issue: { field, message: 'must be JSON' } }
    record[field] = value
  }
  return { line, record }
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The value of a cell; undefined when a JSON cell is not JSON. */
function readCell(cell: string, type: StorageType | null): unknown {
  switch (type) {
    case 'integer':
    case 'real':
      return NUMBER.test(cell.trim()) ? Number(cell) : cell
    case 'boolean':
      return /^true$/i.test(cell) ? true : /^false$/i.test(cell) ? false : cell
    case 'json':
      return parsedOr(cell, undefined)
    case 'text':
    case null:
      return cell
  }
}
