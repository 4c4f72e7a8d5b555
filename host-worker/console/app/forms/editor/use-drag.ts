import type { HTMLAttributes, RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'

/** What a handle listens to. */
export type HandleProps = Pick<
  HTMLAttributes<HTMLButtonElement>,
  'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel'
>

/** Something that is dragged from one place of a list to another. */
interface Dragged {
  readonly from: number
  /** Where it would be. */
  readonly to: number
}

/** Drags the items of a list by mouse, finger or pen. Keys are for the list to handle. */
export function useDrag(
  list: RefObject<HTMLElement>,
  onMove: (from: number, to: number) => void,
): { readonly dragged: Dragged | null; readonly handleProps: (index: number) => HandleProps } {
  const [dragged, setDragged] = useState<Dragged | null>(null)
  const latest = useRef(dragged)
  const set = (next: Dragged | null): void => {
    latest.current = next
    setDragged(next)
  }
  return {
    dragged,
    handleProps: (index) => ({
      onPointerDown: (event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        set({ from: index, to: index })
      },
      onPointerMove: ({ clientY }) => {
        if (latest.current !== null) set({ from: index, to: placeAt(list.current, index, clientY) })
      },
      onPointerUp: () => {
        const moved = latest.current
        set(null)
        if (moved !== null && moved.from !== moved.to) onMove(moved.from, moved.to)
      },
      onPointerCancel: () => {
        set(null)
      },
    }),
  }
}

/** The place that an item has at a height of the window: behind all others whose middle is above it. */
function placeAt(list: HTMLElement | null, from: number, y: number): number {
  const others = [...(list?.children ?? [])].filter((_, index) => index !== from)
  return others.filter((item) => {
    const { top, height } = item.getBoundingClientRect()
    return top + height / 2 < y
  }).length
}
