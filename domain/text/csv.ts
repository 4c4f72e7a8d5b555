import { escapedCommands } from './escaped-commands.ts'

/** A spreadsheet opens a text that begins so as a formula, which could read other cells and send them away. */
const FORMULA = /^[\t\r\n ]*[=+\-@＝＋－＠]/
/** A number, such as that of a phone, is a formula that does nothing. */
const NUMBER = /^[+-]\d[\d ().-]*$/
/** What marks a text as text to a spreadsheet. */
const TEXT_MARK = "'"
/** Without it, Excel reads a file in the encoding of its country. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Rows as CSV for spreadsheets (RFC 4180, in UTF-8 with a byte order mark), which open no cell as a formula. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => row.map(csvCell).join(',')).join('\r\n')
}

function csvCell(value: unknown): string {
  const text = textIn(value)
  const isFormula = typeof value !== 'number' && FORMULA.test(text) && !NUMBER.test(text)
  const safe = isFormula ? TEXT_MARK + text : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function textIn(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textIn).join('; ')
  return escapedCommands(typeof value === 'string' ? value : JSON.stringify(value))
}
