import { echoed } from '../../limits/limits.ts'
import type { ImportProblem } from '../../../ports/import-sessions.ts'
import { columnsOf, isBlank, standingRecords, type StandingRecord } from './csv.ts'
import { PROBLEM_HEAD, type HeaderRules } from './header.ts'
import {
  FILE_PROBLEMS_MAX,
  LISTED_PROBLEMS_MAX,
  type ImportOutcome,
  type ImportSource,
  type Transfer,
} from './transfer.ts'

// A list as people have it is mostly right. Its right rows are imported, and the others are written to a file of their
// own, each with what is wrong with it, so that they can be mended and imported.

/** A problem as whoever wrote the file finds it there. */
export interface PlacedProblem extends ImportProblem {
  /** The field by the file's own head; the field's name where no column is headed by one. */
  readonly head: string
  /** What stands in the cell. Null: nothing does, or the kind has a secret, which nobody may be shown. */
  readonly value: string | null
}

/** A CSV file without the rows that have problems, and those rows. */
interface SortedFile {
  readonly right: ImportSource
  /**
   * The rows with problems under the file's own heads, with a last column `problem`, as CSV with what separates cells in
   * the file. Its first character is U+FEFF, by which spreadsheet programs know UTF-8.
   */
  readonly wrong: string
  /** How many they are. */
  readonly wrongRows: number
  /** Their problems, in the order of the lines of the file. */
  readonly problems: readonly PlacedProblem[]
}

/** What the file as a whole has against it: nothing of it can be imported. */
type Unsortable = { readonly problems: readonly ImportProblem[] } | { readonly message: string }

/** How often a file without the wrong rows is checked again, because a row may need one that was taken out. */
const CHECKS_MAX = 10

/**
 * Sorts out the rows of a CSV file that cannot be imported.
 * @param check a dry run of the rows of a source, which lists up to `LISTED_PROBLEMS_MAX` problems
 */
export async function sortOut(
  source: ImportSource,
  rules: HeaderRules,
  check: (source: ImportSource) => Promise<ImportOutcome>,
): Promise<SortedFile | Unsortable> {
  const wrong: WrongRow[] = []
  let right = source
  let header: ReadableRecord | null = null
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const outcome = await check(right)
    if (outcome.kind === 'stopped') return outcome
    if (outcome.kind !== 'invalid') return { right, ...sorted(wrong, header) }
    const { problems } = outcome
    if (problems.length >= LISTED_PROBLEMS_MAX) return { message: TOO_MANY }
    header ??= await headerOf(source, rules)
    const headLine = header?.line ?? 0
    if (header === null || problems.some(({ line }) => line <= headLine)) return { problems }
    const removed = new Set(wrong.map(({ line }) => line))
    wrong.push(...(await wrongRows(remaining(source, rules, removed), rules, header, problems)))
    right = without(source, rules, new Set(wrong.map(({ line }) => line)))
  }
  return { message: 'Rows need others that have problems, again and again. Mend the file first.' }
}

/** A row that cannot be imported. */
interface WrongRow {
  /** The line of the file at which it begins. */
  readonly line: number
  /** With what is wrong as the last one. */
  readonly cells: readonly string[]
  readonly problems: readonly PlacedProblem[]
}

function sorted(rows: readonly WrongRow[], header: ReadableRecord | null): Omit<SortedFile, 'right'> {
  const heads = [...(header?.cells ?? []), PROBLEM_HEAD]
  return {
    wrong: csvFile([heads, ...rows.map(({ cells }) => cells)], header?.delimiter ?? ','),
    wrongRows: rows.length,
    problems: rows.flatMap(({ problems }) => problems).sort((left, right) => left.line - right.line),
  }
}

/** What an import of a file came to. */
export interface FileImport {
  readonly outcome: ImportOutcome
  /** How many rows were left out. */
  readonly skipped: number
  /** Those rows, as a file; empty: there are none. */
  readonly wrong: string
  /** What is wrong with the file, or with the rows that were left out. */
  readonly problems: readonly PlacedProblem[]
}

/** Imports a file or, for these changes, another one in its place. */
type Importing = (more: Partial<Transfer>) => Promise<ImportOutcome>

/**
 * Imports a file as a whole: one row that is wrong, and nothing is imported.
 * @param rules how its columns are read; null: it has none
 */
export async function importWhole(
  source: ImportSource,
  rules: HeaderRules | null,
  importing: Importing,
): Promise<FileImport> {
  return refusing(await importing({}), source, rules)
}

/**
 * Imports the rows of a CSV file that are right.
 * @param keep takes the file of the other rows before anything is written
 */
export async function importRight(
  source: ImportSource,
  rules: HeaderRules,
  importing: Importing,
  keep: (wrong: string) => void = () => undefined,
): Promise<FileImport> {
  const found = await sortOut(source, rules, (rows) =>
    importing({ source: rows, isDryRun: true, listsProblems: true }),
  )
  if ('message' in found) return refusing({ kind: 'stopped', message: found.message }, source, rules)
  if (!('right' in found))
    return refusing({ kind: 'invalid', problems: found.problems.slice(0, FILE_PROBLEMS_MAX) }, source, rules)
  const { right, wrong, wrongRows: skipped, problems } = found
  keep(wrong)
  return { outcome: await importing({ source: right }), skipped, wrong, problems }
}

/** The outcome of a file of which no row was left out. */
async function refusing(
  outcome: ImportOutcome,
  source: ImportSource,
  rules: HeaderRules | null,
): Promise<FileImport> {
  const problems = outcome.kind === 'invalid' ? await placed(outcome.problems, source, rules) : []
  return { outcome, skipped: 0, wrong: '', problems }
}

async function placed(
  problems: readonly ImportProblem[],
  source: ImportSource,
  rules: HeaderRules | null,
): Promise<readonly PlacedProblem[]> {
  const header = rules === null ? null : await headerOf(source, rules)
  const last = problems.at(-1)?.line ?? 0
  if (rules === null || header === null || last <= header.line) return problems.map(unplaced)
  const cells = new Map<number, readonly string[]>()
  const lines = new Set(problems.map(({ line }) => line))
  for await (const record of standingRecords(source, rules)) {
    if (lines.has(record.line)) cells.set(record.line, record.cells ?? [])
    if (record.line >= last) break
  }
  const place = placing(header, rules)
  return problems.map((problem) => place(problem, cells.get(problem.line) ?? []))
}

function unplaced(problem: ImportProblem): PlacedProblem {
  return { ...problem, head: problem.field, value: null }
}

/** Finds the cell that a problem is about: its own, or that of the document in which its field is, such as `tags.0`. */
function placing(header: ReadableRecord, rules: HeaderRules) {
  const columns = columnsOf(header, rules)
  const isShown = rules.columns.secretField === null
  return (problem: ImportProblem, cells: readonly string[]): PlacedProblem => {
    const { field, line } = problem
    const isIn = (column: string | null) => column !== null && column !== '' && field.startsWith(`${column}.`)
    const own = columns.findIndex((one) => one.field === field)
    const index = own === -1 ? columns.findIndex((one) => isIn(one.field)) : own
    const column = columns[index]
    if (column === undefined || line <= header.line) return unplaced(problem)
    const value = cells[index]?.trim() ?? ''
    const rest = field.slice(column.field?.length)
    const head = `${echoed(column.column.replaceAll(/\s+/g, ' '))}${rest}`
    return { ...problem, head, value: isShown && value !== '' ? value : null }
  }
}

const TOO_MANY = `${LISTED_PROBLEMS_MAX} problems or more are too many to skip. Look at the first ones, and mend the file.`

interface ReadableRecord extends StandingRecord {
  readonly cells: readonly string[]
}

/** The header of a file; null: it has none that can be read. */
async function headerOf(source: ImportSource, rules: HeaderRules): Promise<ReadableRecord | null> {
  for await (const record of standingRecords(source, rules)) {
    const { cells } = record
    if (cells === null) return null
    if (!isBlank(cells)) return { ...record, cells }
  }
  return null
}

/** A record that is left when others were taken out. */
interface RemainingRecord extends StandingRecord {
  /** The number that its first line has without the others. */
  readonly lineLeft: number
}

/** The records of a file but those that begin at some lines. */
async function* remaining(
  source: ImportSource,
  rules: HeaderRules,
  removed: ReadonlySet<number>,
): AsyncGenerator<RemainingRecord> {
  let linesRemoved = 0
  let removedAt: number | null = null
  for await (const record of standingRecords(source, rules)) {
    if (removedAt !== null) linesRemoved += record.line - removedAt
    removedAt = removed.has(record.line) ? record.line : null
    if (removedAt === null) yield { ...record, lineLeft: record.line - linesRemoved }
  }
}

/** @param problems by the lines of what is left */
async function wrongRows(
  records: AsyncIterable<RemainingRecord>,
  rules: HeaderRules,
  header: ReadableRecord,
  problems: readonly ImportProblem[],
): Promise<readonly WrongRow[]> {
  const place = placing(header, rules)
  const byLine = Map.groupBy(problems, ({ line }) => line)
  const rows: WrongRow[] = []
  for await (const { line, lineLeft, cells, bytes } of records) {
    const own = byLine.get(lineLeft)?.map((problem) => place({ ...problem, line }, cells ?? []))
    if (own === undefined) continue
    const shown = cells ?? [new TextDecoder().decode(bytes).trimEnd()]
    const missing = Array.from({ length: Math.max(0, header.cells.length - shown.length) }, () => '')
    const said = own.map(({ head, message }) => `${head} ${message}`).join('; ')
    rows.push({ line, cells: [...shown, ...missing, said], problems: own })
  }
  return rows
}

/** A file without the records that begin at some lines. */
function without(source: ImportSource, rules: HeaderRules, lines: ReadonlySet<number>): ImportSource {
  return {
    async *open() {
      for await (const { bytes } of remaining(source, rules, lines)) yield bytes
    },
  }
}

/** Rows as CSV that an import reads back as they are. Unlike `csvRow`, it marks no cell as text for a spreadsheet. */
function csvFile(rows: readonly (readonly string[])[], separator: string): string {
  return `\ufeff${rows.map((cells) => `${cells.map(quoted).join(separator)}\r\n`).join('')}`
}

function quoted(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
