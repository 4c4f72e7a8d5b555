/** The keys of a record, in their order. The record may have no keys but those of its type. */
export function keysOf<Listed extends object>(record: Listed): readonly (keyof Listed & string)[] {
  // `Object.keys` returns plain strings, because in general an object may have more keys than its type says.
  return Object.keys(record) as (keyof Listed & string)[]
}
