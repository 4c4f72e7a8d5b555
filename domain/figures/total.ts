/** The sum of a figure over items. */
export function totalOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0)
}
