/**
 * Every Nth item of a list, from the Kth on, by the text `K/N`: so that every run takes another part of what all of them
 * together try. `0/1` are all. Null: the text is none of a part.
 */
export function partOf<Item>(items: readonly Item[], part: string): readonly Item[] | null {
  const [, from, of] = /^(\d{1,6})\/([1-9]\d{0,5})$/.exec(part) ?? []
  if (from === undefined || of === undefined) return null
  return items.filter((_, index) => index % Number(of) === Number(from) % Number(of))
}
