import { Virtualizer, observeWindowOffset, observeWindowRect, windowScroll } from '@tanstack/virtual-core'
import type { ComponentChildren, RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import type { Pages } from '../service/hooks.ts'
import { FailureNote, Loading, isolated } from './page.tsx'

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
  const shown = useWindowRows(rows, rowKey, ROW_PX)
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

/** The rows of a long list that are near what the window shows. */
interface WindowRows {
  readonly place: RefObject<HTMLDivElement>
  readonly heightPx: number
  readonly rows: readonly { readonly index: number; readonly startPx: number }[]
  /** Measures a row once it is there, because rows may have several lines. */
  readonly measure: (row: HTMLElement | null) => void
}

const OVERSCAN = 12

/** Chooses the rows to render by the window's own scrolling, so that a list scrolls like any page. */
function useWindowRows<Row>(
  items: readonly Row[],
  keyOf: (row: Row) => string,
  estimatePx: number,
): WindowRows {
  const place = useRef<HTMLDivElement>(null)
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const top = place.current === null ? 0 : place.current.getBoundingClientRect().top + window.scrollY
  // A row that moves, because others came before it, keeps its height.
  const getItemKey = useCallback(
    (index: number) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    [items],
  )
  const options = {
    count: items.length,
    getItemKey,
    getScrollElement: () => window,
    estimateSize: () => estimatePx,
    overscan: OVERSCAN,
    scrollMargin: Math.round(top),
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: window.scrollY,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => {
      redraw(undefined)
    },
  }
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => {
    virtualizer._willUpdate()
  })
  // One function for ever: another one at each render would measure every row again.
  const measure = useCallback((row: HTMLElement | null) => {
    virtualizer.measureElement(row)
  }, [])
  const margin = virtualizer.options.scrollMargin
  return {
    place,
    heightPx: virtualizer.getTotalSize(),
    rows: virtualizer.getVirtualItems().map(({ index, start }) => ({ index, startPx: start - margin })),
    measure,
  }
}
