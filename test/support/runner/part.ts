/**
 * Every Nth item of a list, from the Kth on, by the text `K/N`: so that every run takes another part of what all of them
 * together try. `1/1` are all. Null: the text is none of a part.
 */
export function partOf<Item>(items: readonly Item[], part: string): readonly Item[] | null {
  const [, from, of] = /^(\d{1,6})\/([1-9]\d{0,5})$/.exec(part) ?? []
  if (from === undefined || of === undefined) return null
  return items.filter((_, index) => (index + 1) % Number(of) === Number(from) % Number(of))
}

/** The items of a list that belong to the share of a run of .ci/run (`share.sh`); all of them in any other run. */
export function ofShare<Item>(items: readonly Item[]): readonly Item[] {
  const { CI_SHARE = '1/1' } = process.env
  const chosen = partOf(items, CI_SHARE)
  if (chosen === null) throw new Error(`CI_SHARE is K/N, not ${CI_SHARE}`)
  return chosen
}
