import type { PageEnd } from '../../../ports/records.ts'
import { rowsOf, type ResultRow, type Executor } from '../statement/executor.ts'
import { isOutgrown, linesOfText, takeStop, TOO_LARGE } from './bounded-rows.ts'
import type { PageStatements } from './rows-statements.ts'

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
