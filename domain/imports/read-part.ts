import type { ImportFormat } from '../../ports/records/import-sessions.ts'
import { bytesOfBase64, concatenated, toBase64 } from '../text/encoding.ts'
import type { Columns, Header, RecordReading } from './csv.ts'
import { createCsvReader, NEVER_ENDS, NEVER_ENDS_OR_TOO_LONG } from './csv.ts'
import type { Entry } from './entry.ts'
import { unreadable } from './entry.ts'
import { LINE_MAX_BYTES, linesIn, tooLongProblem } from './lines.ts'
import { readNdjson } from './ndjson.ts'

/** The state of reading a file between two parts. It is JSON, so that it can be stored with the session. */
export interface Reading {
  /** The number of the line that the next bytes begin or continue. */
  readonly line: number
  /** The bytes after the last complete record, in base64. */
  readonly rest: string
  /** A record that grew too long: its bytes are dropped until its line ends, and then it is refused. */
  readonly dropped: { readonly line: number; readonly message: string } | null
  /** The header of a CSV file; null: not read yet. */
  readonly header: Header | null
}

export const startOfFile: Reading = { line: 1, rest: '', dropped: null, header: null }

/** The format of a file, and how its values are read. */
export interface FileFormat {
  readonly format: ImportFormat
  readonly columns: Columns
}

export interface PartReading {
  readonly entries: readonly Entry[]
  readonly reading: Reading
}

const LINE_FEED = 0x0a

/**
 * Reads the next bytes of a file, which may end anywhere: in a line, a quoted cell or a character. The bytes of an
 * incomplete record wait for the next part. They are at most `LINE_MAX_BYTES`, however long a line is.
 * @param isLast whether these are the last bytes of the file
 */
export function readPart(from: Reading, bytes: Uint8Array, isLast: boolean, file: FileFormat): PartReading {
  const { reading: before, bytes: given, entries } = afterDropped(from, bytes, isLast)
  if (before.dropped !== null) return { entries, reading: before }
  const all = concatenated([bytesOfBase64(before.rest), given])
  const whole = isLast ? all : all.subarray(0, all.lastIndexOf(LINE_FEED) + 1)
  const reader = readerOf(file, before.header)
  const found: Entry[] = [...entries]
  let position = { nextLine: before.line, end: 0 }
  for (const record of reader.read(linesIn(whole, before.line))) {
    for (const entry of record.entries) found.push(entry)
    position = record
  }
  const rest = all.subarray(position.end)
  if (isLast && rest.length > 0 && reader.header()?.kind !== 'faulty')
    found.push(unreadable(position.nextLine, NEVER_ENDS))
  return {
    entries: found,
    reading: waiting(position.nextLine, isLast ? rest.subarray(0, 0) : rest, reader.header()),
  }
}

/** Reads every entry of a file that arrives in pieces of any size. */
export async function* entriesOf(source: AsyncIterable<Uint8Array>, file: FileFormat): AsyncGenerator<Entry> {
  let reading = startOfFile
  for await (const bytes of source) {
    const part = readPart(reading, bytes, false, file)
    yield* part.entries
    reading = part.reading
  }
  yield* readPart(reading, new Uint8Array(0), true, file).entries
}

interface RecordReader {
  read(lines: ReturnType<typeof linesIn>): Generator<RecordReading>
  header(): Header | null
}

function readerOf({ format, columns }: FileFormat, header: Header | null): RecordReader {
  return format === 'csv' ? createCsvReader(columns, header) : { read: readNdjson, header: () => null }
}

/** Skips the rest of a record that was too long, and refuses it when its line ends. */
function afterDropped(
  reading: Reading,
  bytes: Uint8Array,
  isLast: boolean,
): PartReading & { readonly bytes: Uint8Array } {
  const { dropped } = reading
  if (dropped === null) return { reading, bytes, entries: [] }
  const feed = bytes.indexOf(LINE_FEED)
  if (feed === -1 && !isLast) return { reading, bytes: new Uint8Array(0), entries: [] }
  return {
    reading: { ...reading, line: reading.line + 1, dropped: null },
    bytes: feed === -1 ? new Uint8Array(0) : bytes.subarray(feed + 1),
    entries: [unreadable(dropped.line, dropped.message)],
  }
}

/** The state before the next part: with the bytes of an open record, unless those are too many. */
function waiting(line: number, rest: Uint8Array, header: Header | null): Reading {
  if (rest.length <= LINE_MAX_BYTES) return { line, rest: toBase64(rest), dropped: null, header }
  const lines = rest.reduce((count, byte) => (byte === LINE_FEED ? count + 1 : count), 0)
  const message = lines === 0 ? tooLongProblem : NEVER_ENDS_OR_TOO_LONG
  return { line: line + lines, rest: '', dropped: { line, message }, header }
}
