import type { ComponentChildren } from 'preact'
import type { Pages } from '../../service/use-pages.ts'
import { FailureNote, Loading } from '../states.tsx'
import type { Column } from './table.tsx'
import { Table } from './table.tsx'

interface PagedTableProps<Row> {
  readonly label: string
  readonly pages: Pages<Row>
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  /** What is shown when there are no rows. */
  readonly empty: ComponentChildren
}

/** A table of a list that is read page by page as it is scrolled, with all states of the list. */
export function PagedTable<Row>({ label, pages, columns, rowKey, empty }: PagedTableProps<Row>) {
  const { items, state, failure, hasMore, unanswered, more, reload } = pages
  if (state === 'loading') return <Loading lines={6} />
  const retry = state === 'failed' || !hasMore ? reload : more
  return (
    <>
      {unanswered.length > 0 && (
        <p class="note failed">
          Rows are missing: the databases of these families did not answer: {unanswered.join(', ')}.
        </p>
      )}
      {items.length > 0 && (
        <Table
          label={label}
          columns={columns}
          rows={items}
          rowKey={rowKey}
          hasMore={hasMore && failure === null}
          onEnd={more}
        />
      )}
      {failure !== null && <FailureNote failure={failure} onRetry={retry} />}
      {items.length === 0 && failure === null && !hasMore && empty}
    </>
  )
}
