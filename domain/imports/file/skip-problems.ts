import type { ImportProblem } from '../../../ports/import-sessions.ts'
import { isBlank, standingRecords, type StandingRecord } from './csv.ts'
import type { HeaderRules } from './header.ts'
import {
  FILE_PROBLEMS_MAX,
  LISTED_PROBLEMS_MAX,
  type ImportOutcome,
  type ImportSource,
  type Transfer,
} from './transfer.ts'

// A list as people have it is mostly right. Its right rows are imported, and the others are written to a file of their
// own, each with what is wrong with it, so that they can be mended and imported.

/** A CSV file without the rows that have problems, and those rows. */
export interface SortedFile {
  readonly right: ImportSource
  /**
   * The rows with problems under the file's own heads, with a last column `problem`, as CSV with what separates cells in
   * the file. Its first character is U+FEFF, by which spreadsheet programs know UTF-8.
   */
  readonly wrong: string
  /** How many they are. */
  readonly wrongRows: number
}

/** What the file as a whole has against it: nothing of it can be imported. */
export type Unsortable = { readonly problems: readonly ImportProblem[] } | { readonly message: string }

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
  let right = source
  const wrong: (readonly string[])[] = []
  let heads: readonly string[] = []
  let separator: string = ','
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const outcome = await check(right)
    if (outcome.kind === 'stopped') return outcome
    if (outcome.kind !== 'invalid')
      return { right, wrong: csvFile([heads, ...wrong], separator), wrongRows: wrong.length }
    const { problems } = outcome
    if (problems.length >= LISTED_PROBLEMS_MAX) return { message: TOO_MANY }
    const header = await headerOf(right, rules)
    if (header === null || problems.some(({ line }) => line <= header.line)) return { problems }
    heads = [...header.cells, 'problem']
    separator = header.delimiter ?? separator
    const byLine = Map.groupBy(problems, ({ line }) => line)
    wrong.push(...(await wrongRows(right, rules, byLine, header.cells.length)))
    right = without(right, rules, new Set(byLine.keys()))
  }
  return { message: 'Rows need others that have problems, again and again. Mend the file first.' }
}

/** What an import of the right rows came to. */
export interface RightImport {
  readonly outcome: ImportOutcome
  /** How many rows were left out. */
  readonly skipped: number
  /** Those rows, as a file. */
  readonly wrong: string
}

/**
 * Imports the rows of a CSV file that are right.
 * @param importing imports the file, with these changes
 * @param keep takes the file of the other rows before anything is written
 */
export async function importRight(
  source: ImportSource,
  rules: HeaderRules,
  importing: (more: Partial<Transfer>) => Promise<ImportOutcome>,
  keep: (wrong: string) => void = () => undefined,
): Promise<RightImport> {
  const sorted = await sortOut(source, rules, (rows) =>
    importing({ source: rows, isDryRun: true, listsProblems: true }),
  )
  const none = { skipped: 0, wrong: '' }
  if ('message' in sorted) return { outcome: { kind: 'stopped', message: sorted.message }, ...none }
  if ('problems' in sorted)
    return { outcome: { kind: 'invalid', problems: sorted.problems.slice(0, FILE_PROBLEMS_MAX) }, ...none }
  keep(sorted.wrong)
  return {
    outcome: await importing({ source: sorted.right }),
    skipped: sorted.wrongRows,
    wrong: sorted.wrong,
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

async function wrongRows(
  source: ImportSource,
  rules: HeaderRules,
  problems: ReadonlyMap<number, readonly ImportProblem[]>,
  columns: number,
): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = []
  for await (const { line, cells, bytes } of standingRecords(source, rules)) {
    const own = problems.get(line)
    if (own === undefined) continue
    const shown = cells ?? [new TextDecoder().decode(bytes).trimEnd()]
    const missing = Array.from({ length: Math.max(0, columns - shown.length) }, () => '')
    rows.push([...shown, ...missing, own.map(({ field, message }) => `${field} ${message}`).join('; ')])
  }
  return rows
}

/** A file without the records that begin at some lines. */
function without(source: ImportSource, rules: HeaderRules, lines: ReadonlySet<number>): ImportSource {
  return {
    async *open() {
      for await (const { line, bytes } of standingRecords(source, rules)) if (!lines.has(line)) yield bytes
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
