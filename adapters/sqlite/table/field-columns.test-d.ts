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

/** Each field has a column, and no other name has one. */
export const derived: readonly string[] = [
  columnsOf({ rowId: 'text', at: 'text' }).rowId,
  // @ts-expect-error: no field has this name
  columnsOf({ rowId: 'text', at: 'text' }).other,
]
