import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { FieldColumns } from './field-columns.ts'
import { columnsOf, valueList } from './field-columns.ts'

interface Row {
  readonly rowId: string
  readonly at: string
}

const columns: FieldColumns<Row> = { rowId: 'row_id', at: 'at' }

/** Every field has a column, and no column is without a field. */
export const incomplete = [
  // @ts-expect-error: `at` has no column
  { rowId: 'row_id' },
  // @ts-expect-error: no field has this name
  { rowId: 'row_id', at: 'at', other: 'other' },
] satisfies FieldColumns<Row>[]

/** Only fields of the row are given values. */
export function values(): Expression<unknown>[] {
  return [
    valueList(columns),
    valueList(columns, { at: sql`0` }),
    // @ts-expect-error: no field has this name
    valueList(columns, { other: sql`0` }),
  ]
}

/** A list of columns has all of them, and no other. */
export const lists: (readonly string[])[] = [
  columnsOf<Row>({ rowId: true, at: true }),
  // @ts-expect-error: `at` is missing
  columnsOf<Row>({ rowId: true }),
  // @ts-expect-error: the row has no such column
  columnsOf<Row>({ rowId: true, at: true, other: true }),
]
