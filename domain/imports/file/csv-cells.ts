/** The characters that separate cells, as spreadsheet programs write them. */
export const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** The name of a delimiter in a sentence. */
export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
}

/**
 * The cells of one CSV record, or why there are none: a quoted cell continues in the next line, or there is an error.
 */
export type CellsReading =
  | { readonly kind: 'cells'; readonly cells: readonly string[]; readonly delimiter: Delimiter }
  | { readonly kind: 'open' }
  | { readonly kind: 'invalid'; readonly message: string }

const OPEN: CellsReading = { kind: 'open' }

const ANNOUNCEMENT = /^\s*(?:sep=(\\t|.?)|"sep=(\\t|.?)")[^\S\t]*$/iu

/**
 * Reads the first line of a file as spreadsheets do when it is `sep=;`: it holds no cells, and announces the delimiter of
 * all others. Null: it announces nothing.
 */
export function announcement(firstLine: string): CellsReading | null {
  const match = ANNOUNCEMENT.exec(firstLine)
  if (match === null) return null
  const given = match[1] ?? match[2] ?? ''
  const delimiter = delimiters.find((known) => known === (given === '\\t' ? '\t' : given))
  return delimiter === undefined
    ? invalid(
        `announces ${given === '' ? 'no separator' : `"${given}" as the separator`}. Separate the cells by commas, semicolons or tabs, and write sep=, or sep=; here, or take the line out`,
      )
    : { kind: 'cells', cells: [], delimiter }
}

/** Splits one CSV record into cells (RFC 4180): cells may be quoted, a quote inside a quoted cell is doubled. */
export function splitCells(text: string, delimiter: Delimiter): CellsReading {
  const cells: string[] = []
  let position = 0
  for (;;) {
    const cell =
      text[position] === '"' ? quotedCell(text, position, delimiter) : plainCell(text, position, delimiter)
    if ('kind' in cell) return cell
    cells.push(cell.value)
    if (cell.end >= text.length) return { kind: 'cells', cells, delimiter }
    position = cell.end + 1
  }
}

/** A cell's value and the position of the delimiter, or the end of the line, after it. */
interface Cell {
  readonly value: string
  readonly end: number
}

function plainCell(text: string, start: number, delimiter: Delimiter): Cell | CellsReading {
  const next = text.indexOf(delimiter, start)
  const end = next === -1 ? text.length : next
  const value = text.slice(start, end)
  return value.includes('"')
    ? invalid(
        'has a quote inside a cell that is not quoted. Put the cell in quotes and double each quote in it',
      )
    : { value, end }
}

function quotedCell(text: string, start: number, delimiter: Delimiter): Cell | CellsReading {
  let value = ''
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return OPEN
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') return closedCell(text, value, quote + 1, delimiter)
    value += '"'
    from = quote + 2
  }
}

function closedCell(text: string, value: string, end: number, delimiter: Delimiter): Cell | CellsReading {
  return end === text.length || text[end] === delimiter
    ? { value, end }
    : invalid('has text after a closing quote. Double each quote inside a quoted cell')
}

function invalid(message: string): CellsReading {
  return { kind: 'invalid', message }
}
