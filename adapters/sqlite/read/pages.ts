import type { PageEnd, OneQuery, PageQuery } from '../../../ports/records.ts'
import { rowsOf, type ResultRow, type Executor, type Statement } from '../statement/executor.ts'
import {
  isOutgrown,
  linesOfText,
  takeStop,
  TOO_LARGE,
  boundedRows,
  textOfRows,
  readingOf,
} from './reading.ts'
import { sql } from 'kysely'
import { bind, template, type Template } from '../statement/compiler.ts'
import { templateCache } from '../../sql/statement.ts'
import type { TableSet } from '../tables.ts'

/** The rows of a page: as lines of JSON, or as the columns of the database when they would be too much for one text. */
export type PageResult = PageEnd &
  (
    | { readonly kind: 'lines'; readonly text: string }
    | { readonly kind: 'columns'; readonly rows: ResultRow[] }
  )

/**
 * Reads one page of at most about 4 MiB, or one row that is larger, so that no page fills a Worker's memory. Only a
 * page that is too large for one text costs a second call.
 */
export async function readBoundedPage(
  executor: Executor,
  { text, bounded, order }: PageStatements,
): Promise<PageResult> {
  const found = await textOf(executor, text)
  if (found !== TOO_LARGE) return { kind: 'lines', ...linesOfText(found ?? '') }
  const rows = await rowsOf(executor, bounded)
  return { kind: 'columns', stoppedAt: takeStop(rows, order), rows }
}

async function textOf(executor: Executor, statement: PageStatements['text']): Promise<string | null> {
  try {
    const [row] = await rowsOf(executor, statement)
    return row?.text ?? null
  } catch (error) {
    if (isOutgrown(error)) return TOO_LARGE
    throw error
  }
}

/**
 * Makes the statement of a page or a row of one owner. SQL is compiled once for each shape of a query and cached. Throws
 * for a collection or field that is not stored.
 */
export function rowsStatements(
  tables: TableSet,
): (owner: string, query: PageQuery | OneQuery) => Statement<ResultRow> {
  const cached = templateCache<Template<ResultRow>>()
  return (owner, query) => {
    const reading = readingOf(tables, query)
    const compiled = cached(reading.shape, () => template(reading.select('columns', '')))
    return bind(compiled, { owner, ...reading.values })
  }
}

interface PageText {
  readonly text: string | null
}

/** The two ways to read one page: as one text in the column `text`, and, when that is too large, as bounded rows. */
interface PageStatements {
  readonly text: Statement<PageText>
  readonly bounded: Statement<ResultRow>
  readonly order: PageQuery['order']
}

/**
 * Makes the statements of pages of the tables of a database. SQL is compiled once for each shape of a page and kept.
 */
export function pageStatements(tables: TableSet): (owner: string, query: PageQuery) => PageStatements {
  const cached = templateCache<{ readonly text: Template<PageText>; readonly bounded: Template<ResultRow> }>()
  return (owner, query) => {
    const reading = readingOf(tables, query)
    const compiled = cached(reading.shape, () => ({
      text: template(sql<PageText>`select ${textOfRows(reading, '')} as text`),
      bounded: template(boundedRows(reading, '', sql`true`)),
    }))
    const values = { owner, ...reading.values }
    return { text: bind(compiled.text, values), bounded: bind(compiled.bounded, values), order: query.order }
  }
}
