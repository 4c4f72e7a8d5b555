import type { StorageType } from '../../record/field.ts'
import { parsedOr, concatenated } from '../../text/encoding.ts'
import {
  delimiterNames,
  splitCells,
  headerIssues,
  readColumns,
  splitHeader,
  type CellsReading,
  type Delimiter,
  type Columns,
  type Header,
  type HeaderRules,
  type ColumnReading,
} from './header.ts'
import {
  unreadable,
  LINE_MAX_BYTES,
  foreignFile,
  LINE_FEED,
  lineEndOf,
  linesIn,
  type Entry,
  type UnreadableEntry,
  type Line,
} from './lines.ts'
import type { ImportSource } from './transfer.ts'

/** The result of reading one record, and where the next one begins. */
export interface RecordReading {
  /**
   * The entry of the record. Several for a header with several faults; none for a correct header and for a blank line.
   */
  readonly entries: readonly Entry[]
  /** Whether it is a row whose cells are all empty, which is skipped. */
  readonly isSkipped: boolean
  /** The number of the line after the record. */
  readonly nextLine: number
  /** Where that line begins in the bytes. */
  readonly end: number
}

interface CsvReader {
  /** Reads complete records. A record that is still open at the end of the lines is left out. */
  read(lines: Iterable<Line>): Generator<RecordReading>
  /** The header; null: not read yet. */
  header(): Header | null
}

/** Why an open record is refused when the file ends, or when it grows beyond what one row can hold. */
export const NEVER_ENDS = 'has a quoted cell that never ends. Close its quote'
export const NEVER_ENDS_OR_TOO_LONG = 'has a quoted cell that never ends, or is too long. Close its quote'

/**
 * Reads CSV: the first record contains the names of columns, and each further one is a record. A first line such as `sep=;`
 * says by what cells are separated. An empty cell is an absent
 * field, and a row of empty cells is skipped. Numbers, booleans (`true`, `false`) and JSON are read as the field is
 * stored, and words that people write for its values are read as these; a cell that does not fit stays text, and the
 * field's schema then refuses it.
 * @param known the header, when an earlier part of the same file contained it
 * @param lineEnd the character that ends lines
 */
export function createCsvReader(rules: HeaderRules, known: Header | null, lineEnd: number): CsvReader {
  let header = known
  const entriesOf = (reading: CsvRecord | UnreadableEntry): readonly Entry[] => {
    if (header?.kind === 'faulty') return []
    if (header?.kind === 'fields')
      return 'issue' in reading ? [reading] : toEntry(reading, header.names, rules.columns)
    const { found, entries } = readHeader(reading, rules)
    header = found
    return entries
  }
  const split: Split = (text, line) =>
    header?.kind === 'fields'
      ? splitCells(text, header.delimiter)
      : splitHeader(text, line, header?.kind === 'announced' ? header.delimiter : null, rules)
  return {
    *read(lines) {
      for (const { reading, nextLine, end } of recordsOf(lines, split, String.fromCodePoint(lineEnd))) {
        if (!('issue' in reading) && reading.cells.length === 0)
          header = { kind: 'announced', delimiter: reading.delimiter }
        const isEmpty = !('issue' in reading) && isBlank(reading.cells)
        const isSkipped = isEmpty && header?.kind === 'fields'
        yield { entries: isEmpty ? [] : entriesOf(reading), isSkipped, nextLine, end }
      }
    },
    header: () => header,
  }
}

function readHeader(
  reading: CsvRecord | UnreadableEntry,
  rules: HeaderRules,
): { readonly found: Header; readonly entries: readonly Entry[] } {
  if ('issue' in reading) return { found: { kind: 'faulty' }, entries: [reading] }
  const { line, cells, delimiter } = reading
  const read = readColumns(cells, rules)
  const issues = headerIssues(read, rules)
  if (issues.length > 0)
    return { found: { kind: 'faulty' }, entries: issues.map((issue) => ({ line, issue })) }
  return { found: { kind: 'fields', names: read.map(({ field }) => field), delimiter }, entries: [] }
}

/** A record as its cells. */
interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
  readonly delimiter: Delimiter
}

/** A complete record. */
interface ClosedRecord extends Pick<RecordReading, 'nextLine' | 'end'> {
  readonly reading: CsvRecord | UnreadableEntry
}

/** Splits the text of a record that begins at a line. */
type Split = (text: string, line: number) => CellsReading

/** Joins lines while a quoted cell is open. A record has the number of its first line. */
function* recordsOf(lines: Iterable<Line>, split: Split, lineEnd: string): Generator<ClosedRecord> {
  let open: OpenRecord | null = null
  for (const line of lines) {
    const after = { nextLine: line.number + 1, end: line.end }
    const next: OpenRecord = extended(open, line)
    const isStillOpen: boolean = open !== null && !mayClose(line.text ?? '')
    const cells: CellsReading | null =
      next.problem !== null
        ? null
        : isStillOpen
          ? { kind: 'open' }
          : split(withoutReturn(next.parts.join(lineEnd)), next.line)
    open = cells?.kind === 'open' ? next : null
    if (open === null) yield { reading: closed(next, cells), ...after }
  }
}

/** Whether a line can close a quoted cell that is open before it: that takes an odd number of quotes. */
function mayClose(line: string): boolean {
  return line.split('"').length % 2 === 0
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function closed({ line, problem }: OpenRecord, reading: CellsReading | null): CsvRecord | UnreadableEntry {
  if (reading?.kind === 'cells') return { line, ...reading }
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

/** The entry of a record. A cell too few is an empty one, because some programs leave out the last empty cells. */
function toEntry(
  { line, cells, delimiter }: CsvRecord,
  header: readonly (string | null)[],
  columns: Columns,
): readonly Entry[] {
  if (cells.slice(header.length).some((cell) => cell.trim() !== '')) {
    const counts = `has ${cells.length} cells where the header has ${header.length}`
    return [
      unreadable(line, `${counts}. Put a cell in quotes when it contains a ${delimiterNames[delimiter]}`),
    ]
  }
  const record: Record<string, unknown> = {}
  const nameless: Entry[] = []
  for (const [index, field] of header.entries()) {
    const cell = cells[index] ?? ''
    if (field === '' && cell.trim() !== '')
      nameless.push({ line, issue: { field: `column ${index + 1}`, message: NAMELESS } })
    if (field !== '' && field !== null && cell !== '') {
      const word = columns.words?.get(field)?.get(cell.trim().normalize('NFC').toLowerCase())
      record[field] = word ?? readCell(cell, columns.typeOf(field))
    }
  }
  return nameless.length > 0 ? nameless : [{ line, record }]
}

const NAMELESS = 'holds a value, but the header names no column there. Name the column, or empty it'

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The value of a cell; the text itself when it is not of the field's type. */
function readCell(cell: string, type: StorageType | null): unknown {
  switch (type) {
    case 'integer':
    case 'real':
      return NUMBER.test(cell.trim()) ? Number(cell) : cell
    case 'boolean':
      return /^\s*true\s*$/i.test(cell) ? true : /^\s*false\s*$/i.test(cell) ? false : cell
    case 'json':
      return parsedOr(cell, cell)
    case 'text':
    case null:
      return cell
  }
}

/** How a CSV file begins, or why that cannot be read. */
export type Head =
  | {
      readonly delimiter: Delimiter
      /** The names of the columns. */
      readonly cells: readonly string[]
      /** The first rows, for a person to recognise the columns: `HEAD_ROWS` of them at most. */
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly problem: string }

const HEAD_ROWS = 5

/**
 * Reads the header and the first rows of a CSV file, as an import will.
 * @param bytes from the start of the file
 * @param isWhole whether these are all its bytes
 */
export function readHead(bytes: Uint8Array, isWhole: boolean, rules: HeaderRules): Head {
  const foreign = foreignFile(bytes)
  if (foreign !== null) return { problem: `The first line ${foreign}.` }
  const lineEnd = lineEndOf(bytes, isWhole) ?? LINE_FEED
  const told = openDelimiter(rules)
  const rows: (readonly string[])[] = []
  for (const { reading } of recordsOf(
    linesIn(bytes, 1, lineEnd),
    told.split,
    String.fromCodePoint(lineEnd),
  )) {
    if ('issue' in reading) {
      if (rows.length > 0) break
      return { problem: `Line ${reading.line} ${reading.issue.message}.` }
    }
    told.note(reading)
    if (isBlank(reading.cells)) continue
    rows.push(reading.cells)
    if (rows.length > HEAD_ROWS) break
  }
  const [delimiter, [cells, ...first]] = [told.delimiter(), rows]
  if (delimiter === null || cells === undefined) return { problem: 'The file names no columns.' }
  return { delimiter, cells: cells.map((cell) => cell.trim()), rows: first }
}

/** The delimiter of a file that is read from its start: its first line announces it, or its header tells it. */
function openDelimiter(rules: HeaderRules) {
  let announced: Delimiter | null = null
  let found: Delimiter | null = null
  return {
    split: (text: string, line: number): CellsReading =>
      found === null ? splitHeader(text, line, announced, rules) : splitCells(text, found),
    /** Takes what a record tells. */
    note({ cells, delimiter }: CsvRecord): void {
      if (cells.length === 0) announced = delimiter
      else if (!isBlank(cells)) found ??= delimiter
    },
    /** Null: no record has told it yet. */
    delimiter: (): Delimiter | null => found,
  }
}

/** Whether a record has nothing in its cells. */
export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}

/** What each column of a head means under these rules. */
export function columnsOf({ cells }: { readonly cells: readonly string[] }, rules: HeaderRules) {
  return readColumns(cells, rules).slice(0, cells.length) as readonly ColumnReading[]
}

/** A record of a CSV file as it stands there. */
export interface StandingRecord {
  /** The number of its first line. */
  readonly line: number
  /** Null: it cannot be read. */
  readonly cells: readonly string[] | null
  /** What separates its cells; null: it cannot be read. */
  readonly delimiter: Delimiter | null
  /** With the end of its line. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * Reads the records of a CSV file as an import reads them, blank ones and the header among them. Holds a piece of the
 * file and an open record in memory.
 */
export async function* standingRecords(
  source: ImportSource,
  rules: HeaderRules,
): AsyncGenerator<StandingRecord> {
  const told = openDelimiter(rules)
  let line = 1
  let lineEnd: number | null = null
  /** The records that end in these bytes, and how many bytes they take. */
  function* take(bytes: Uint8Array<ArrayBuffer>, end: number): Generator<StandingRecord, number> {
    let from = 0
    const records = recordsOf(linesIn(bytes, line, end), told.split, String.fromCodePoint(end))
    for (const { reading, nextLine, end: to } of records) {
      if (!('issue' in reading)) told.note(reading)
      const { cells, delimiter } = 'issue' in reading ? { cells: null, delimiter: null } : reading
      yield { line, cells, delimiter, bytes: bytes.slice(from, to) }
      line = nextLine
      from = to
    }
    return from
  }
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  for await (const piece of source.open()) {
    const bytes: Uint8Array<ArrayBuffer> = concatenated([rest, piece])
    lineEnd ??= lineEndOf(bytes, false)
    const complete = lineEnd === null ? 0 : bytes.lastIndexOf(lineEnd) + 1
    const taken = lineEnd === null ? 0 : yield* take(bytes.slice(0, complete), lineEnd)
    rest = bytes.slice(taken)
  }
  const taken = yield* take(rest, lineEnd ?? lineEndOf(rest, true) ?? LINE_FEED)
  if (taken < rest.length) yield { line, cells: null, delimiter: null, bytes: rest.slice(taken) }
}
