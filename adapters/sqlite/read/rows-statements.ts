import { sql } from 'kysely'
import type { OneQuery, PageQuery } from '../../../ports/records.ts'
import { bind, template, type Template } from '../statement/compiler.ts'
import type { ResultRow, Statement } from '../statement/executor.ts'
import { templateCache } from '../../sql/statement.ts'
import type { TableSet } from '../table/table-set.ts'
import { boundedRows, textOfRows } from './bounded-rows.ts'
import { readingOf } from './reading.ts'

/** Makes the statement of a page or a row of one owner. Throws for a collection or field that is not stored. */
export type MakeRowsStatement = (owner: string, query: PageQuery | OneQuery) => Statement<ResultRow>

/**
 * Makes reads of the tables of a database, each as one statement. SQL is compiled once for each shape of a query and
 * cached.
 */
export function rowsStatements(tables: TableSet): MakeRowsStatement {
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
export interface PageStatements {
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
