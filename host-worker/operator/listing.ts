import { PAGE_ROWS_MAX } from '../../domain/record/endpoint.ts'
import { csvOf } from '../../domain/text/csv.ts'
import { shownJson, escaped } from '../../domain/text/terminal.ts'
import { UsageError } from './client/call-service.ts'
import {
  mark,
  text,
  type Column,
  type FlagValues,
  type Head,
  type Listed,
} from '../../domain/record/command.ts'
import { textOf, type Command, type Context, type Terminal } from './command.ts'
import stringWidth from 'string-width'

/** Opens the items of a list, in pages of a given number of rows. */
type Open<Item> = (
  context: Context,
  values: FlagValues,
  pageRows: number,
) => Promise<AsyncIterable<Item>> | AsyncIterable<Item>

interface Row {
  readonly item: unknown
  readonly cells: readonly string[]
  readonly line: string
}

/** Makes the rows of a sheet, the first of which has the heads. */
type MakeSheet<Item> = (
  items: readonly Item[],
  context: Context,
  values: FlagValues,
) => Promise<readonly (readonly unknown[])[]>

/** Items of one kind with their columns. */
export interface Source {
  readonly heads: readonly Head[]
  /** Makes the sheet of --csv; null: it has none. */
  readonly makeSheet: MakeSheet<unknown> | null
  rows(...opened: Parameters<Open<unknown>>): AsyncIterable<Row>
}

/** Stands for a value that is missing. */
const NONE = '-'
const GAP = '  '

/**
 * Says where the items of a listing come from, and which columns they have.
 * @param makeSheet makes the sheet of --csv; left out: there is none
 */
export function source<Item>(
  columns: readonly Column<Item>[],
  open: Open<Item>,
  makeSheet?: MakeSheet<Item>,
): Source {
  const cellIn = ({ of }: Column<Item>, item: Item) => cellOf(String(of(item) ?? ''))
  return {
    heads: columns,
    // A sheet is given the items of its own source only.
    makeSheet: (makeSheet as Source['makeSheet'] | undefined) ?? null,
    async *rows(...opened) {
      for await (const item of await open(...opened)) {
        const cells = columns.map((column) => cellIn(column, item) || NONE)
        yield { item, cells, line: lineOf(cells, columns) }
      }
    },
  }
}

/** A line of a pipe. */
function lineOf(cells: readonly string[], columns: readonly Column<never>[]): string {
  return columns
    .flatMap(({ head, isNamed, isOmitted }, index) => {
      const cell = cells[index] ?? NONE
      if (isOmitted === true && cell === NONE) return []
      return isNamed === true ? `${head} ${cell}` : cell
    })
    .join(GAP)
}

/** A command that lists. Everything that all of them have in common is derived from this record. */
interface Listing extends Omit<Command, 'run'>, Listed {
  /** What it lists, by the flags and the positional arguments. */
  readonly sourceFor: (values: FlagValues, positionals: readonly string[]) => Source
}

/** Makes the command of a listing: the same items as a table on a terminal, as lines in a pipe, and as JSON. */
export function listing(declared: Listing): Command {
  const { sourceFor, shown } = declared
  const usual = sourceFor({}, [])
  return {
    ...declared,
    flags: {
      ...declared.flags,
      json: mark(),
      ...(usual.makeSheet === null ? {} : { csv: mark() }),
      limit: text('N'),
    },
    details: [...declared.details, ...detailsOf(usual, declared)],
    run: async (context, { values, positionals }) => {
      const asked = limitIn(values)
      const limit = asked ?? shown?.count ?? Number.POSITIVE_INFINITY
      const chosen = sourceFor(values, positionals)
      const lines = openLines(values, chosen, declared, context)
      let count = 0
      try {
        // One more than is shown tells whether there are more.
        const pageRows = Math.min(asked ?? limit + 1, PAGE_ROWS_MAX)
        for await (const row of chosen.rows(context, values, pageRows)) {
          if (count === limit) {
            const { which = 'newest' } = shown ?? {}
            context.note(`Only the ${which} ${limit} are shown; --limit N shows more.`)
            break
          }
          lines.add(row)
          count += 1
          if (count === asked) break
        }
      } finally {
        await lines.end(count)
      }
    },
  }
}

/** Where the rows go. */
interface Lines {
  add(row: Row): unknown
  end(count: number): Promise<void> | void
}

function openLines(
  values: FlagValues,
  { heads, makeSheet }: Source,
  { piped }: Listed,
  context: Context,
): Lines {
  const { out, note, terminal } = context
  const { json, csv } = values
  if (csv === true && makeSheet !== null) {
    if (json === true) throw new UsageError('--json and --csv exclude each other')
    const items: unknown[] = []
    return {
      add: ({ item }) => items.push(item),
      end: async () => {
        out(csvOf(await makeSheet(items, context, values)))
      },
    }
  }
  const isJson = json === true || (terminal === null && piped === 'json')
  if (isJson || terminal === null)
    return {
      add: ({ item, line }) => {
        out(isJson ? shownJson(item) : line)
      },
      end: () => undefined,
    }
  const table = openTable(heads, terminal, out)
  return {
    add: ({ cells }) => {
      table.add(cells)
    },
    end: (count) => {
      table.end()
      if (count === 0) note('There is nothing to list.')
    },
  }
}

/** The value of --limit: a whole number of at least 1. Throws a `UsageError` for anything else. */
function limitIn(values: FlagValues): number | undefined {
  const given = textOf(values, 'limit')
  if (given === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new UsageError('--limit is a whole number of at least 1')
  return Number(given)
}

function detailsOf(usual: Source, { piped, shown }: Listed): string[] {
  const heads = usual.heads.map(({ head }) => head).join(', ')
  const many = shown === undefined ? 'All are shown' : `At most the ${shown.which} ${shown.count} are shown`
  return [
    `The columns: ${heads}.`,
    piped === 'json'
      ? 'A terminal gets them under heads; a pipe, and --json, get one JSON object a line.'
      : 'A terminal gets them under heads, a pipe divided by two spaces; --json prints one JSON object a line.',
    `${many} without --limit.`,
  ]
}

/** The width to which columns are cut at most. */
const CUT_WIDTH_MIN = 10
/** After how many rows the first are shown, so that a long list begins at once. */
const BLOCK_ROWS = 200

/** Rows under a head, in aligned columns that fit the terminal. */
interface Table {
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
