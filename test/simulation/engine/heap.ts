/** A collection that returns its least item first. */
export interface Heap<Item> {
  push(item: Item): void
  /** Removes and returns the least item; undefined: there is none. */
  pop(): Item | undefined
}

/** A binary heap. @param compare negative: the left one comes first */
export function createHeap<Item>(compare: (left: Item, right: Item) => number): Heap<Item> {
  const items: Item[] = []
  const isBefore = (left: number, right: number): boolean => {
    const [one, other] = [items[left], items[right]]
    return one !== undefined && other !== undefined && compare(one, other) < 0
  }
  const swap = (left: number, right: number): void => {
    const [one, other] = [items[left], items[right]]
    if (one === undefined || other === undefined) return
    items[left] = other
    items[right] = one
  }
  const rise = (from: number): void => {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if (!isBefore(at, parent)) return
      swap(at, parent)
      at = parent
    }
  }
  const sink = (): void => {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = isBefore(left, at) ? left : at
      if (isBefore(right, least)) least = right
      if (least === at) return
      swap(at, least)
      at = least
    }
  }
  return {
    push(item) {
      items.push(item)
      rise(items.length - 1)
    },
    pop() {
      const [least] = items
      const last = items.pop()
      if (items.length > 0 && last !== undefined) {
        items[0] = last
        sink()
      }
      return least
    },
  }
}
