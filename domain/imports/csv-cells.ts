/**
 * The cells of one CSV record, or why there are none: a quoted cell continues in the next line, or there is an error.
 */
export type CellsReading =
  | { readonly kind: 'cells'; readonly cells: readonly string[] }
  | { readonly kind: 'open' }
  | { readonly kind: 'invalid'; readonly message: string }

const OPEN: CellsReading = { kind: 'open' }

/** Splits one CSV record into cells (RFC 4180): cells may be quoted, a quote inside a quoted cell is doubled. */
export function splitCells(text: string): CellsReading {
  const cells: string[] = []
  let position = 0
  for (;;) {
    const cell = text[position] === '"' ? quotedCell(text, position) : plainCell(text, position)
    if ('kind' in cell) return cell
    cells.push(cell.value)
    if (cell.end >= text.length) return { kind: 'cells', cells }
    position = cell.end + 1
  }
}

/** A cell's value and the position of the comma, or the end of the line, after it. */
interface Cell {
  readonly value: string
  readonly end: number
}

function plainCell(text: string, start: number): Cell | CellsReading {
  const comma = text.indexOf(',', start)
  const end = comma === -1 ? text.length : comma
  const value = text.slice(start, end)
  return value.includes('"') ? invalid('has a quote inside an unquoted cell') : { value, end }
}

function quotedCell(text: string, start: number): Cell | CellsReading {
  let value = ''
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return OPEN
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') return closedCell(text, value, quote + 1)
    value += '"'
    from = quote + 2
  }
}

function closedCell(text: string, value: string, end: number): Cell | CellsReading {
  return end === text.length || text[end] === ',' ? { value, end } : invalid('has text after a closing quote')
}

function invalid(message: string): CellsReading {
  return { kind: 'invalid', message }
}
