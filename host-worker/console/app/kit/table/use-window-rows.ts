import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useCallback, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'

/** The rows of a long list that are near what the window shows. */
export interface WindowRows {
  readonly place: RefObject<HTMLDivElement>
  readonly heightPx: number
  readonly rows: readonly { readonly index: number; readonly startPx: number }[]
  /** Measures a row once it is there, because rows may have several lines. */
  readonly measure: (row: HTMLElement | null) => void
}

const OVERSCAN = 12

/** Chooses the rows to render by the window's own scrolling, so that a list scrolls like any page. */
export function useWindowRows(count: number, estimatePx: number): WindowRows {
  const place = useRef<HTMLDivElement>(null)
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const top = place.current === null ? 0 : place.current.getBoundingClientRect().top + window.scrollY
  const options = {
    count,
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
