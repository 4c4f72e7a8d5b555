import type { StorageType } from '../record/field.ts'
import type { ImportIssue } from '../record/resource.ts'
import type { CellsReading } from './csv-cells.ts'
import { splitCells } from './csv-cells.ts'
import type { Entry, UnreadableEntry } from './entry.ts'
import { unreadable } from './entry.ts'
import type { Line } from './lines.ts'
import { lineMaxBytes } from './lines.ts'

/** What a CSV reader must know of the fields: text alone does not say whether `12` is a number. */
export interface Columns {
  /** How the field is stored; null: there is no such field (its line is refused by name). */
  typeOf(field: string): StorageType | null
  /** What is wrong with importing this field, or null. */
  problemOf(field: string): string | null
}

/** What was read of a CSV file's header. */
export type Header =
  | { readonly kind: 'fields'; readonly names: readonly string[] }
  /** A faulty header says nothing about the rows, so that they are not read. */
  | { readonly kind: 'faulty' }

/** What one record of a file came to, and where the next one begins. */
export interface RecordReading {
  /** Its entry; several when a header has several faults, none for a header that is right and for a blank line. */
  readonly entries: readonly Entry[]
  /** The number of the line after it. */
  readonly nextLine: number
  /** Where that line begins in the bytes. */
  readonly end: number
}

export interface CsvReader {
  /** Reads whole records. One that is still open at the end of the lines is left out. */
  read(lines: Iterable<Line>): Generator<RecordReading>
  /** Null: not read yet. */
  header(): Header | null
}

/** How an open record is refused when the file ends, or when it grows beyond what one row can hold. */
export const NEVER_ENDS = 'has a quoted cell that never ends'
export const NEVER_ENDS_OR_TOO_LONG = `${NEVER_ENDS}, or is too long`

/**
 * Reads CSV: the first record names the fields, each further one is a record. An empty cell is an absent field.
 * Numbers, booleans (`true`, `false`) and JSON are read as the field is stored; a cell that does not fit stays text
 * and is refused by the field.
 * @param known the header, when an earlier reading of the same file found it
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

/** A closed record, or null for a blank line. */
interface ClosedRecord extends Pick<RecordReading, 'nextLine' | 'end'> {
  readonly reading: CsvRecord | UnreadableEntry | null
}

/** Joins lines while a quoted cell is open. A record is named by the line on which it begins. */
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

/** A record that may go on in the next line. */
interface OpenRecord {
  readonly line: number
  readonly parts: string[]
  readonly length: number
  readonly problem: string | null
}

function extended(open: OpenRecord | null, { number, text, problem }: Line): OpenRecord {
  const { line, parts, length } = open ?? { line: number, parts: new Array<string>(), length: 0 }
  if (text === null) return { line: number, parts, length, problem: problem ?? 'cannot be read' }
  parts.push(text)
  const total = length + text.length + 1
  return { line, parts, length: total, problem: total > lineMaxBytes ? NEVER_ENDS_OR_TOO_LONG : null }
}

/** Splits a record unless its last line cannot have closed the open cell: that takes an odd number of quotes. */
function readRecord(record: OpenRecord, wasOpen: boolean, last: string): CellsReading {
  if (wasOpen && last.split('"').length % 2 === 1) return { kind: 'open' }
  const text = record.parts.join('\n')
  return splitCells(text.endsWith('\r') ? text.slice(0, -1) : text)
}

function headerIssues(header: readonly string[], columns: Columns): readonly ImportIssue[] {
  return header.flatMap((field, index) => {
    if (field === '') return [{ field: `column ${index + 1}`, message: 'has no name' }]
    if (header.indexOf(field) !== index) return [{ field, message: 'stands in the header twice' }]
    const problem = columns.problemOf(field)
    return problem === null ? [] : [{ field, message: problem }]
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
      return readJson(cell)
    case 'text':
    case null:
      return cell
  }
}

function readJson(cell: string): unknown {
  try {
    return JSON.parse(cell)
  } catch {
    return undefined
  }
}
