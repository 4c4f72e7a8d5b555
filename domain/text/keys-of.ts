/** The keys of a record whose type lists all that it has, in their order. */
export function keysOf<Listed extends object>(record: Listed): readonly (keyof Listed & string)[] {
  // `Object.keys` forgets the names, because in general an object may have more keys than its type says.
  return Object.keys(record) as (keyof Listed & string)[]
}
