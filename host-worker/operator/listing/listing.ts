import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'
import { csvOf } from '../../../domain/text/csv.ts'
import { shownJson } from '../../../domain/text/terminal.ts'
import { UsageError } from '../client/errors.ts'
import {
  mark,
  text,
  type Column,
  type FlagValues,
  type Head,
  type Listed,
} from '../../../domain/record/command.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import type { Context } from '../command/context.ts'
import { cellOf, openTable } from './table.ts'

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
export type Sheet<Item> = (items: readonly Item[]) => readonly (readonly unknown[])[]

/** Items of one kind with their columns. */
export interface Source {
  readonly heads: readonly Head[]
  /** Opens the sheet of --csv; null: it has none. */
  readonly openSheet: ((context: Context, values: FlagValues) => Promise<Sheet<unknown>>) | null
  rows(...opened: Parameters<Open<unknown>>): AsyncIterable<Row>
}

/** Stands for a value that is missing. */
const NONE = '-'
const GAP = '  '

/**
 * Says where the items of a listing come from, and which columns they have.
 * @param openSheet opens the sheet of --csv; left out: there is none
 */
export function source<Item>(
  columns: readonly Column<Item>[],
  open: Open<Item>,
  openSheet?: (context: Context, values: FlagValues) => Promise<Sheet<Item>>,
): Source {
  const cellIn = ({ of }: Column<Item>, item: Item) => cellOf(String(of(item) ?? ''))
  return {
    heads: columns,
    // A sheet is given the items of its own source only.
    openSheet: (openSheet as Source['openSheet'] | undefined) ?? null,
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
export interface Listing extends Omit<Command, 'positionals' | 'run'>, Listed {
  /** What it lists, by the flags. */
  readonly sourceFor: (values: FlagValues) => Source
}

/** Makes the command of a listing: the same items as a table on a terminal, as lines in a pipe, and as JSON. */
export function listing(declared: Listing): Command {
  const { sourceFor, shown } = declared
  const usual = sourceFor({})
  return {
    ...declared,
    positionals: [],
    flags: {
      ...declared.flags,
      json: mark(),
      ...(usual.openSheet === null ? {} : { csv: mark() }),
      limit: text('N'),
    },
    details: [...declared.details, ...detailsOf(usual, declared)],
    run: async (context, { values }) => {
      const asked = limitIn(values)
      const limit = asked ?? shown?.count ?? Number.POSITIVE_INFINITY
      const chosen = sourceFor(values)
      const lines = await openLines(values, chosen, declared, context)
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
        lines.end(count)
      }
    },
  }
}

/** Where the rows go. */
interface Lines {
  add(row: Row): unknown
  end(count: number): void
}

async function openLines(
  values: FlagValues,
  { heads, openSheet }: Source,
  { piped }: Listed,
  context: Context,
): Promise<Lines> {
  const { out, note, terminal } = context
  const { json, csv } = values
  if (csv === true && openSheet !== null) {
    if (json === true) throw new UsageError('--json and --csv exclude each other')
    const items: unknown[] = []
    const sheet = await openSheet(context, values)
    return {
      add: ({ item }) => items.push(item),
      end: () => {
        out(csvOf(sheet(items)))
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
