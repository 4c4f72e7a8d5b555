import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { isolated } from '../isolated.tsx'
import { Loading } from '../states.tsx'
import { useWindowRows } from './use-window-rows.ts'

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  /** What a cell shows. A string is shown as text, whatever it contains. */
  readonly cell: (row: Row) => ComponentChildren
  /** The column's share of the width, as a track of a CSS grid. Default: an equal share. */
  readonly width?: string
  readonly align?: 'end'
}

interface TableProps<Row> {
  /** What the rows are, for a screen reader. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Whether there are more rows than these, and how to get them; `onEnd` is called near the last one. */
  readonly hasMore?: boolean
  readonly onEnd?: () => void
}

const ROW_PX = 49
/** So many rows before the last one more are asked for, so that whoever scrolls seldom waits. */
const ROWS_AHEAD = 40

/**
 * A table of any length, of which only the rows near the window exist. On a phone each row becomes a card with the titles
 * of the columns beside the values. Keys scroll it as any page; links and buttons in rows are reached by Tab.
 */
export function Table<Row>({ label, columns, rows, rowKey, hasMore = false, onEnd }: TableProps<Row>) {
  const shown = useWindowRows(rows.length, ROW_PX)
  const tracks = columns.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ')
  const lastIndex = shown.rows.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && lastIndex >= rows.length - 1 - ROWS_AHEAD) onEnd?.()
  }, [hasMore, lastIndex, rows.length])
  return (
    <>
      <div
        class="table"
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        style={{ '--tracks': tracks }}
      >
        <div role="rowgroup" class="table-head">
          <div role="row" aria-rowindex={1} class="table-row">
            {columns.map(({ title, align }) => (
              <div key={title} role="columnheader" class={align}>
                {title}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="table-body" ref={shown.place} style={{ height: `${shown.heightPx}px` }}>
          {shown.rows.map(({ index, startPx }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <div
                key={rowKey(row)}
                ref={shown.measure}
                data-index={index}
                role="row"
                aria-rowindex={index + 2}
                class="table-row"
                style={{ transform: `translateY(${startPx}px)` }}
              >
                <Cells row={row} columns={columns} />
              </div>
            )
          })}
        </div>
      </div>
      {hasMore && <Loading lines={1} />}
    </>
  )
}

/** The cells of a row. Scrolling leaves them as they are. */
function Cells<Row>({ row, columns }: { readonly row: Row } & Pick<TableProps<Row>, 'columns'>) {
  return useMemo(
    () => (
      <>
        {columns.map(({ title, cell, align }) => (
          <div key={title} role="cell" class={align} data-title={title}>
            {isolated(cell(row))}
          </div>
        ))}
      </>
    ),
    [row, columns],
  )
}
