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

/**
 * Reads CSV: the first record names the fields, each further one is a record. An empty cell is an absent field.
 * Numbers, booleans (`true`, `false`) and JSON are read as the field is stored; a cell that does not fit stays text
 * and is refused by the field. A faulty header ends the reading.
 */
export async function* readCsv(lines: AsyncIterable<Line>, columns: Columns): AsyncGenerator<Entry> {
  const records = recordsOf(lines)
  const first = await records.next()
  if (first.done === true) return
  if ('issue' in first.value) {
    yield first.value
    return
  }
  const header = first.value.cells.map((cell) => cell.trim())
  const issues = headerIssues(header, columns)
  for (const issue of issues) yield { line: first.value.line, issue }
  if (issues.length > 0) return
  for await (const reading of records) yield 'issue' in reading ? reading : toEntry(reading, header, columns)
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

type RecordReading = CsvRecord | UnreadableEntry

/** Joins lines while a quoted cell is open. A record is named by the line on which it begins. */
async function* recordsOf(lines: AsyncIterable<Line>): AsyncGenerator<RecordReading> {
  let open: OpenRecord | null = null
  for await (const line of lines) {
    if (open === null && line.text?.trim() === '') continue
    const next: OpenRecord = extended(open, line)
    const reading: CellsReading | null =
      next.problem === null ? readRecord(next, open !== null, line.text ?? '') : null
    open = reading?.kind === 'open' ? next : null
    if (next.problem !== null) yield unreadable(next.line, next.problem)
    if (reading?.kind === 'cells') yield { line: next.line, cells: reading.cells }
    if (reading?.kind === 'invalid') yield unreadable(next.line, reading.message)
  }
  if (open !== null) yield unreadable(open.line, 'has a quoted cell that never ends')
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
  const tooLong = total > lineMaxBytes ? 'has a quoted cell that never ends, or is too long' : null
  return { line, parts, length: total, problem: tooLong }
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
