import { compareBytes } from '../../../../domain/text/text-order.ts'
import type { NeutralRow } from '../../protocol.ts'
import { GatewayError } from '../errors.ts'
import type { ChildMapping, TableMapping } from '../families/family.ts'
import type { RecordedRow } from '../tables/column.ts'
import { Unreadable, type Codec, type SourceSettings } from '../values/codec.ts'

/**
 * A recorded row in the neutral form. Throws the `GatewayError` `unreadable_row`, which names the table, the row's id
 * and the column, when a value has no meaning there.
 */
export function neutralRow(
  { fields, table }: TableMapping,
  recorded: RecordedRow,
  settings: SourceSettings,
): NeutralRow {
  let index = 0
  const read = ([field, codec]: [string, Codec]) => {
    const values = codec.columns.map((_, offset) => recorded[`c${index + offset}`] ?? null)
    index += codec.columns.length
    return [field, codec.read(values, settings)] as const
  }
  try {
    return Object.fromEntries(Object.entries(fields).map(read))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    // The first column is the row's id, in every mapping.
    throw new GatewayError('unreadable_row', `${table} ${recorded.c0 ?? ''}: ${error.message} cannot be read`)
  }
}

/** The rows of a child table in the neutral form, in their order, by the id of the row that they belong to. */
export function neutralChildren(
  child: ChildMapping,
  recorded: readonly RecordedRow[],
  settings: SourceSettings,
): ReadonlyMap<string, readonly unknown[]> {
  const byParent = new Map<string, { readonly row: NeutralRow; readonly position: number }[]>()
  for (const each of recorded) {
    const parent = String(each.parent)
    const rows = byParent.get(parent) ?? []
    rows.push({ row: neutralRow(child, each, settings), position: Number(each.position ?? 0) })
    byParent.set(parent, rows)
  }
  const lists = [...byParent].map(([parent, rows]) => {
    rows.sort((left, right) =>
      child.order.kind === 'latest' ? newestFirst(left.row, right.row) : left.position - right.position,
    )
    return [parent, rows.map(({ row }) => (child.valueField === null ? row : row[child.valueField]))] as const
  })
  return new Map(lists)
}

/** By bytes, as the databases sort, which have picked the latest rows. */
function newestFirst(left: NeutralRow, right: NeutralRow): number {
  return (
    compareBytes(String(right.occurredAt), String(left.occurredAt)) ||
    compareBytes(String(right.eventId), String(left.eventId))
  )
}
