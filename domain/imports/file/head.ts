import { splitCells, type Delimiter } from './csv-cells.ts'
import { recordsOf } from './csv.ts'
import { readColumns, splitHeader, type ColumnReading, type HeaderRules } from './header.ts'
import { foreignFile, LINE_FEED, lineEndOf, linesIn } from './lines.ts'

/** How a CSV file begins, or why that cannot be read. */
export type Head =
  | {
      readonly delimiter: Delimiter
      /** The names of the columns. */
      readonly cells: readonly string[]
      /** The first row, for a person to recognise the columns. */
      readonly sample: readonly string[]
    }
  | { readonly problem: string }

/**
 * Reads the header and the first row of a CSV file, as an import will.
 * @param bytes from the start of the file
 * @param isWhole whether these are all its bytes
 */
export function readHead(bytes: Uint8Array, isWhole: boolean, rules: HeaderRules): Head {
  const foreign = foreignFile(bytes)
  if (foreign !== null) return { problem: `The first line ${foreign}.` }
  const lineEnd = lineEndOf(bytes, isWhole) ?? LINE_FEED
  const delimiters: Delimiter[] = []
  let announced: Delimiter | null = null
  const split = (text: string, line: number) => {
    const [delimiter] = delimiters
    return delimiter === undefined ? splitHeader(text, line, announced, rules) : splitCells(text, delimiter)
  }
  const rows: (readonly string[])[] = []
  for (const { reading } of recordsOf(linesIn(bytes, 1, lineEnd), split, String.fromCodePoint(lineEnd))) {
    if ('issue' in reading) {
      if (rows.length > 0) break
      return { problem: `Line ${reading.line} ${reading.issue.message}.` }
    }
    if (reading.cells.length === 0) announced = reading.delimiter
    if (reading.cells.every((cell) => cell.trim() === '')) continue
    delimiters.push(reading.delimiter)
    rows.push(reading.cells)
    if (rows.length === 2) break
  }
  const [[delimiter], [cells, sample = []]] = [delimiters, rows]
  if (delimiter === undefined || cells === undefined) return { problem: 'The file names no columns.' }
  return { delimiter, cells: cells.map((cell) => cell.trim()), sample }
}

/** What each column of a head means under these rules. */
export function columnsOf({ cells }: Extract<Head, { readonly cells: unknown }>, rules: HeaderRules) {
  return readColumns(cells, rules).slice(0, cells.length) as readonly ColumnReading[]
}
