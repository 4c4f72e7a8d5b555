import type { ImportFormat } from '../../ports/import-sessions.ts'
import { bytesOfBase64, concatenated, toBase64, isJsonObject, parsedOr } from '../text/encoding.ts'
import { createCsvReader, NEVER_ENDS, NEVER_ENDS_OR_TOO_LONG, type RecordReading } from './file/csv.ts'
import {
  unreadable,
  foreignFile,
  LINE_FEED,
  LINE_MAX_BYTES,
  NOT_UTF8,
  lineEndOf,
  linesIn,
  tooLongProblem,
  type Entry,
  type Line,
} from './file/lines.ts'
import { delimiters, type Header, type HeaderRules } from './file/header.ts'
import { mistakeIn } from '../text/json-mistake.ts'
import * as v from 'valibot'
import type { RandomSource } from '../../ports/platform.ts'
import type { Secrets } from '../access/secrets.ts'
import { seal, unseal } from '../access/sealed.ts'

/** The state of reading a file between two parts. It is JSON, so that it can be stored with the session. */
export interface Reading {
  /** The number of the line that the next bytes begin or continue. */
  readonly line: number
  /** The bytes after the last complete record, in base64. */
  readonly rest: string
  /** A record that grew too long: its bytes are dropped until its line ends, and then it is refused. */
  readonly dropped: { readonly line: number; readonly message: string } | null
  /** The header of a CSV file; null: nothing of it was read yet. Behind a faulty one, and in a file that is no text, nothing is read. */
  readonly header: Header | null
  /** The character that ends the lines of a CSV file; null: not known yet. */
  readonly lineEnd: number | null
}

export const startOfFile: Reading = { line: 1, rest: '', dropped: null, header: null, lineEnd: null }

/** The format of a file, and how its values are read. */
export interface FileFormat extends HeaderRules {
  readonly format: ImportFormat
}

interface PartReading {
  readonly entries: readonly Entry[]
  /** How many rows were skipped because their cells are all empty. */
  readonly skippedRows: number
  readonly reading: Reading
}

/**
 * Reads the next bytes of a file, which may end anywhere: in a line, a quoted cell or a character. The bytes of an
 * incomplete record wait for the next part. They are at most `LINE_MAX_BYTES`, however long a line is.
 * @param isLast whether these are the last bytes of the file
 */
export function readPart(from: Reading, bytes: Uint8Array, isLast: boolean, file: FileFormat): PartReading {
  if (from.header?.kind === 'faulty') return { entries: [], skippedRows: 0, reading: from }
  const { reading: before, bytes: given, entries } = afterDropped(from, bytes, isLast, file)
  if (before.dropped !== null) return { entries, skippedRows: 0, reading: before }
  const all = concatenated([bytesOfBase64(before.rest), given])
  const foreign = before.line === 1 ? foreignFile(all) : null
  if (foreign !== null)
    return { entries: [unreadable(1, foreign)], skippedRows: 0, reading: { ...startOfFile, header: FAULTY } }
  const lineEnd = before.lineEnd ?? (file.format === 'csv' ? lineEndOf(all, isLast) : LINE_FEED)
  const whole =
    lineEnd === null ? all.subarray(0, 0) : isLast ? all : all.subarray(0, all.lastIndexOf(lineEnd) + 1)
  const reader = readerOf(file, before.header, lineEnd ?? LINE_FEED)
  const found: Entry[] = [...entries]
  let skippedRows = 0
  let position = { nextLine: before.line, end: 0 }
  for (const record of reader.read(linesIn(whole, before.line, lineEnd ?? LINE_FEED))) {
    for (const entry of record.entries) found.push(entry)
    // Said once: in another encoding, every line with such a character would be as wrong.
    if (record.entries.some((entry) => 'issue' in entry && entry.issue.message === NOT_UTF8))
      return { entries: found, skippedRows, reading: { ...startOfFile, header: FAULTY } }
    if (record.isSkipped) skippedRows += 1
    position = record
  }
  const rest = all.subarray(position.end)
  if (isLast && rest.length > 0 && reader.header()?.kind !== 'faulty')
    found.push(unreadable(position.nextLine, NEVER_ENDS))
  const after = { line: position.nextLine, header: reader.header(), lineEnd }
  return { entries: found, skippedRows, reading: waiting(after, isLast ? rest.subarray(0, 0) : rest) }
}

const FAULTY: Header = { kind: 'faulty' }

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

function readerOf(file: FileFormat, header: Header | null, lineEnd: number): RecordReader {
  return file.format === 'csv'
    ? createCsvReader(file, header, lineEnd)
    : { read: readNdjson, header: () => null }
}

/** Skips the rest of a record that was too long, and refuses it when its line ends. */
function afterDropped(
  reading: Reading,
  bytes: Uint8Array,
  isLast: boolean,
  { format }: FileFormat,
): Omit<PartReading, 'skippedRows'> & { readonly bytes: Uint8Array } {
  const { dropped, lineEnd } = reading
  if (dropped === null) return { reading, bytes, entries: [] }
  const endAt = bytes.indexOf(lineEnd ?? LINE_FEED)
  if (endAt === -1 && !isLast) return { reading, bytes: new Uint8Array(0), entries: [] }
  const isHeader = format === 'csv' && reading.header?.kind !== 'fields'
  return {
    reading: {
      ...reading,
      line: reading.line + 1,
      dropped: null,
      header: isHeader ? FAULTY : reading.header,
    },
    bytes: endAt === -1 ? new Uint8Array(0) : bytes.subarray(endAt + 1),
    entries: [unreadable(dropped.line, dropped.message)],
  }
}

/** The state before the next part: with the bytes of an open record, unless those are too many. */
function waiting(at: Pick<Reading, 'line' | 'header' | 'lineEnd'>, rest: Uint8Array): Reading {
  if (rest.length <= LINE_MAX_BYTES) return { ...at, rest: toBase64(rest), dropped: null }
  const lines = rest.reduce((count, byte) => (byte === (at.lineEnd ?? LINE_FEED) ? count + 1 : count), 0)
  const message = lines === 0 ? tooLongProblem : NEVER_ENDS_OR_TOO_LONG
  const dropped = { line: at.line, message }
  return { ...at, line: at.line + lines, rest: '', dropped }
}

/** Reads one JSON object per line. Blank lines are skipped. */
function* readNdjson(lines: Iterable<Line>): Generator<RecordReading> {
  for (const line of lines) {
    yield { entries: entriesOfLine(line), isSkipped: false, nextLine: line.number + 1, end: line.end }
  }
}

function entriesOfLine({ number, text, problem }: Line): readonly Entry[] {
  if (text === null) return [unreadable(number, problem ?? 'cannot be read')]
  return text.trim() === '' ? [] : [readObject(number, text)]
}

function readObject(line: number, text: string): Entry {
  const value = parsedOr(text, undefined)
  if (value === undefined) {
    const { column = 1, problem = '' } = mistakeIn(text) ?? {}
    const said = `is not JSON: column ${column}: ${problem}`
    return unreadable(line, `${said}. Write one object a line, such as {"name":"Ada"}`)
  }
  return isJsonObject(value)
    ? { line, record: value }
    : unreadable(line, 'must be a JSON object, such as {"name":"Ada"}')
}

const line = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

/** A reading as it is stored with its session, perhaps by another version of the service. */
const StoredReading = v.object({
  line,
  rest: v.pipe(v.string(), v.regex(/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/)),
  dropped: v.nullable(v.object({ line, message: v.string() })),
  header: v.nullable(
    v.variant('kind', [
      v.object({ kind: v.literal('announced'), delimiter: v.picklist(delimiters) }),
      v.object({
        kind: v.literal('fields'),
        names: v.array(v.nullable(v.string())),
        delimiter: v.picklist(delimiters),
      }),
      v.object({ kind: v.literal('faulty') }),
    ]),
  ),
  lineEnd: v.nullable(v.number()),
  /**
   * The version of the root secret under which `rest` is sealed, bound to the import. Null or left out: `rest` is not
   * sealed.
   */
  sealedUnder: v.optional(v.nullable(v.string()), null),
})
type StoredReading = Reading & Partial<Pick<v.InferOutput<typeof StoredReading>, 'sealedUnder'>>

/** The ports by which the rest of a reading is sealed. */
interface Sealing {
  readonly secrets: () => Promise<Secrets>
  readonly random: RandomSource
}

/** Seals what waits of an incomplete line, because it may contain a secret of the line. */
export async function sealReading(
  reading: Reading,
  importId: string,
  { secrets, random }: Sealing,
): Promise<StoredReading> {
  if (reading.rest === '') return reading
  const { current } = await secrets()
  const sealed = await seal(bytesOfBase64(reading.rest), importId, 'import-reading', current, random)
  return { ...reading, rest: toBase64(sealed), sealedUnder: current.version }
}

const OTHER_VERSION = 'Another version of the service began to read this file. Import it again.'

/** The reading as it was before it was stored, or a sentence that says why it cannot be continued. */
export async function unsealReading(
  text: string,
  importId: string,
  { secrets }: Pick<Sealing, 'secrets'>,
): Promise<Reading | string> {
  const checked = v.safeParse(StoredReading, parsedOr(text, null))
  if (!checked.success) return OTHER_VERSION
  const { sealedUnder, ...stored } = checked.output
  if (sealedUnder === null) return stored
  const secret = (await secrets()).find(sealedUnder)
  if (secret === null) return 'The root secret was changed while the file was imported. Import it again.'
  const rest = await unseal(bytesOfBase64(stored.rest), importId, 'import-reading', secret)
  return rest === null ? OTHER_VERSION : { ...stored, rest: toBase64(rest) }
}
