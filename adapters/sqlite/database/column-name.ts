/** The name of the column of a field: `googlePlaceId` is stored in `google_place_id`. */
export type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : ''

/** The name of the column of a field. */
export function columnName<const Field extends string>(field: Field): ColumnName<Field> {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as ColumnName<Field>
}
