import { echoed } from '../../limits/limits.ts'
import type { ImportMapping } from '../../../ports/import-sessions.ts'
import type { StorageType } from '../../record/field.ts'
import type { ImportIssue } from '../../record/resource.ts'
import { suggestion } from '../../text/schema-errors.ts'

/** The key for a row's owner. The import has an owner already; a line may only repeat it. */
export const OWNER_FIELD = 'organizationId'

/** What a column begins with that names one attribute, and so leaves the others. */
export const ATTRIBUTE = 'attributes.'

/** What a CSV reader must know of the fields: text alone does not say whether `12` is a number. */
export interface Columns {
  /** The names of the fields that a line may have. */
  readonly names: readonly string[]
  /** How the field is stored; null: there is no such field. Its line is then refused with the name of the field. */
  typeOf(field: string): StorageType | null
  /** Why this field cannot be imported; null: it can. */
  problemOf(field: string): string | null
  /** What people call fields at the heads of columns, by what `headKey` makes of it. Left out: nothing else. */
  readonly heads?: ReadonlyMap<string, string>
  /** By field, the values for which people write other words in cells, by these in lower case. Left out: they do not. */
  readonly words?: ReadonlyMap<string, ReadonlyMap<string, unknown>>
  /**
   * A field whose value no problem may show; null: there is none. In a file without a header it would stand where the
   * names of fields are expected.
   */
  readonly secretField: string | null
}

/** How the columns of a file are to be read. */
export interface HeaderRules {
  readonly columns: Columns
  /** The fields of columns whose names do not say it; an empty one: the column is left out. */
  readonly mapping: ImportMapping
  /** Whether columns that are no field become attributes under their own names. Left out: they do not. */
  readonly takesAttributes?: boolean
}

/** The header of a CSV file, as it was read. */
export type Header =
  /** Only the line before it was read, which says by what its cells are separated. */
  | { readonly kind: 'announced'; readonly delimiter: Delimiter }
  | {
      readonly kind: 'fields'
      /** The field of each column. Empty: the column has no name. Null: it is left out. */
      readonly names: readonly (string | null)[]
      readonly delimiter: Delimiter
    }
  /** With a faulty header the rows have no meaning, so they are not read. */
  | { readonly kind: 'faulty' }

/** A column of a header: its name in the file, and its field or what is wrong with it. */
export interface ColumnReading {
  readonly column: string
  readonly field: string | null
  readonly problem: string | null
}

/**
 * Splits the text of a header into cells. Its delimiter is the one that was announced, else the one by which the most
 * columns are known, else the one that makes the most cells. The line that announces it has no cells.
 * @param line the number of the header's first line
 * @param announced the delimiter that the line before it announced; null: none
 */
export function splitHeader(
  text: string,
  line: number,
  announced: Delimiter | null,
  rules: HeaderRules,
): CellsReading {
  const announcing = line === 1 ? announcement(text) : null
  if (announcing !== null) return announcing
  if (announced !== null) return splitCells(text, announced)
  const readings = delimiters.map((delimiter) => splitCells(text, delimiter))
  const possible = readings.flatMap((reading) => (reading.kind === 'cells' ? [reading] : []))
  const [best, ...others] = possible.map((reading) => ({ reading, known: knownIn(reading.cells, rules) }))
  if (best === undefined)
    return readings.find(({ kind }) => kind === 'open') ?? readings[0] ?? { kind: 'open' }
  const isBetter = (one: typeof best, than: typeof best) =>
    one.known === than.known ? one.reading.cells.length > than.reading.cells.length : one.known > than.known
  return others.reduce((found, other) => (isBetter(other, found) ? other : found), best).reading
}

function knownIn(cells: readonly string[], rules: HeaderRules): number {
  // Whatever a column is called, it could become an attribute.
  const fieldOf = fieldFinder({ ...rules, takesAttributes: false })
  return cells.filter((cell) => fieldOf(cell.trim()) !== undefined).length
}

/** The columns of a header in order, and the columns of the mapping that it lacks. */
export function readColumns(cells: readonly string[], rules: HeaderRules): readonly ColumnReading[] {
  const fieldOf = fieldFinder(rules)
  const names = cells.map((cell) => cell.trim())
  const fields = names.map((name) => (name === '' ? '' : fieldOf(name)))
  const read = names.map((column, index): ColumnReading => {
    const field = fields[index]
    if (field === undefined) return { column, field: '', problem: unknownColumn(column, rules) }
    const unfit = field === null || field === '' ? null : rules.columns.problemOf(field)
    if (unfit !== null && field !== OWNER_FIELD) return { column, field: '', problem: unfit }
    const before = field === null || field === '' ? index : fields.indexOf(field)
    const problem =
      before === index
        ? null
        : `means ${String(field)}, as column ${before + 1} (${echoed(names[before] ?? '')}) does. Keep one of them`
    return { column, field, problem }
  })
  const known = new Set(names.map(folded))
  const absent = Object.keys(rules.mapping).filter((column) => !known.has(folded(column)))
  return [...read, ...absent.map((column) => absentColumn(column, names, rules))]
}

/** Finds the field of a column by its name: null when the column is left out, undefined when there is no such field. */
function fieldFinder({
  columns,
  mapping,
  takesAttributes = false,
}: HeaderRules): (name: string) => string | null | undefined {
  const mapped = new Map(Object.entries(mapping).map(([column, field]) => [folded(column), field]))
  const named = new Map([...columns.names, OWNER_FIELD].map((name) => [folded(name), name]))
  return (name) => {
    if (name === '') return undefined
    const exact = Object.hasOwn(mapping, name) ? mapping[name] : mapped.get(folded(name))
    if (exact !== undefined) return exact === '' ? null : exact
    const known =
      columns.problemOf(name) === null ? name : (named.get(folded(name)) ?? columns.heads?.get(headKey(name)))
    // What was written beside the rows that an import left out says why, and is nothing of theirs.
    if (known === undefined && folded(name) === PROBLEM_HEAD) return null
    return known ?? (takesAttributes ? `${ATTRIBUTE}${name}` : undefined)
  }
}

/** Names are the same when they differ only in case, spaces, `_` and `-`. */
export function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

/** The head of the column in which a file of rows that were left out says what is wrong with each. */
export const PROBLEM_HEAD = 'problem'

/** Heads are the same when they differ only in case, accents, white space and punctuation. */
export function headKey(head: string): string {
  return head
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

function unknownColumn(name: string, { columns }: HeaderRules): string {
  const problem = columns.problemOf(name) ?? 'is not known'
  const attribute =
    columns.problemOf(`${ATTRIBUTE}x`) === null ? ', NAME=attributes.NAME to keep it as an attribute' : ''
  return `${problem} Rename the column, or map it: NAME=FIELD${attribute}, or NAME= to leave it out.`
}

function absentColumn(
  column: string,
  names: readonly string[],
  { columns: { secretField } }: HeaderRules,
): ColumnReading {
  // In a file without a header, a secret may stand where the names of columns are expected.
  const hint = secretField === null ? suggestion(column, names.map(echoed)) : ''
  return { column, field: null, problem: `is mapped, but the file has no such column.${hint}` }
}

/** What is wrong with a header, column by column. */
export function headerIssues(
  read: readonly ColumnReading[],
  { columns, mapping }: HeaderRules,
): readonly ImportIssue[] {
  return read.flatMap(({ column, field, problem }, index) => {
    if (problem === null) return []
    const isShown = columns.secretField === null || field !== '' || Object.hasOwn(mapping, column)
    return [{ field: isShown ? echoed(column) : `column ${index + 1}`, message: problem }]
  })
}

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
function announcement(firstLine: string): CellsReading | null {
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
