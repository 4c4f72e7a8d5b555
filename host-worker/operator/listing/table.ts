import stringWidth from 'string-width'
import type { Head } from '../../../domain/record/command.ts'
import { escaped } from '../../../domain/text/terminal.ts'
import type { Terminal } from '../command/context.ts'

const GAP = '  '
/** The width to which columns are cut at most. */
const CUT_WIDTH_MIN = 10
/** After how many rows the first are shown, so that a long list begins at once. */
const BLOCK_ROWS = 200

/** Rows under a head, in aligned columns that fit the terminal. */
export interface Table {
  add(cells: readonly string[]): void
  /** Shows what is left. */
  end(): void
}

/** A table on a terminal. Its head is shown with the first rows. */
export function openTable(heads: readonly Head[], terminal: Terminal, out: (line: string) => void): Table {
  const titles = heads.map(({ head }) => head.toUpperCase())
  let widths = titles.map(widthOf)
  let waiting: (readonly string[])[] = []
  let rows = 0
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => fitted(cell, widths[index] ?? 0))
      .join(GAP)
      .trimEnd()
  const show = () => {
    if (waiting.length === 0) return
    const needed = widthsFor([widths, ...waiting.map((cells) => cells.map(widthOf))])
    widths = narrowed(needed, heads, terminal.width)
    if (rows === waiting.length) out(terminal.hasColour ? `\u001b[1m${line(titles)}\u001b[22m` : line(titles))
    for (const cells of waiting) out(line(cells))
    waiting = []
  }
  return {
    add: (cells) => {
      waiting.push(cells)
      rows += 1
      if (waiting.length === BLOCK_ROWS) show()
    },
    end: show,
  }
}

/** The greatest width in each column. */
function widthsFor(rows: readonly (readonly number[])[]): number[] {
  return (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index] ?? 0)))
}

/** The widths with which a line fits, as far as the columns that may be cut allow it. The widest is cut first. */
function narrowed(widths: readonly number[], heads: readonly Head[], lineWidth: number): number[] {
  const narrow = [...widths]
  if (lineWidth === 0) return narrow
  let surplus = narrow.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - lineWidth
  while (surplus > 0) {
    const cuttable = narrow.map((width, index) => (heads[index]?.mayBeCut === true ? width : 0))
    const widest = Math.max(...cuttable)
    if (widest <= CUT_WIDTH_MIN) break
    narrow[cuttable.indexOf(widest)] = widest - 1
    surplus -= 1
  }
  return narrow
}

/** What a terminal would obey instead of show: control characters, and those that reverse the direction of a line. */
const COMMANDS = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * A text as a part of a line. Strangers wrote some of what is listed: it neither ends a line or a column, nor commands
 * the terminal.
 */
export function cellOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll(COMMANDS, escaped)
}

/** How many columns of a terminal a text takes. */
function widthOf(text: string): number {
  return stringWidth(text)
}

/** A text of a given width: cut with an ellipsis, or filled with spaces. */
export function fitted(text: string, width: number): string {
  const own = widthOf(text)
  return own <= width ? text + ' '.repeat(width - own) : fitted(`${cut(text, width - 1)}…`, width)
}

const characters = new Intl.Segmenter()

/** The beginning of a text that takes at most so many columns. */
function cut(text: string, width: number): string {
  let beginning = ''
  let left = width
  for (const { segment } of characters.segment(text)) {
    left -= widthOf(segment)
    if (left < 0) return beginning
    beginning += segment
  }
  return beginning
}
