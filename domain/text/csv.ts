import { escapedCommands } from './terminal.ts'

/**
 * What ends a cell or a row for a spreadsheet that does not split at commas. A quote in the middle of what such a
 * program takes for a cell quotes nothing, so it tears quoted cells apart, and each piece is a cell.
 */
const SEPARATOR = /([;\t\n\r\u2028\u2029])/
/** A spreadsheet opens a text that begins so as a formula, which could read other cells and send them away. */
const FORMULA = /^[\s"]*[=+\-@＝＋－＠﹦﹢﹣﹫]/
/** A cell of a number alone, such as that of a phone, is a formula that does nothing. */
const NUMBER = /^[+-]\d[\d ().-]*$/
/** Numbers with nothing but a minus between them, as in `+1-212-555-0123`: a spreadsheet shows what that comes to. */
const ARITHMETIC = /^[+-][\d.]+[ )]*(?:-[- (]*[\d.]+[ )]*)+$/
/** What marks a text as text to a spreadsheet. */
const TEXT_MARK = "'"
const NEEDS_QUOTES = new RegExp(`[",]|${SEPARATOR.source}|^\\s|\\s$`)
/** Without it, Excel reads a file in the encoding of its country. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Rows as CSV for spreadsheets (RFC 4180, in UTF-8 with a byte order mark), which open no cell as a formula. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return BYTE_ORDER_MARK + rows.map(csvRow).join('\r\n')
}

/** One row of a CSV file, without the end of its line. */
export function csvRow(cells: readonly unknown[]): string {
  return cells.map(csvCell).join(',')
}

function csvCell(value: unknown): string {
  const text = textIn(value)
  const isNumber = typeof value === 'number' || (NUMBER.test(text) && !ARITHMETIC.test(text))
  const safe = isNumber ? text : text.split(SEPARATOR).map(marked).join('')
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function marked(piece: string): string {
  return FORMULA.test(piece) ? TEXT_MARK + piece : piece
}

function textIn(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textIn).join('; ')
  return escapedCommands(typeof value === 'string' ? value : JSON.stringify(value))
}
