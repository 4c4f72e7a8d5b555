import { sql } from 'kysely'
import type { MoveChunk, MovedRow, MovedTable, MoveKey, MovePosition } from '../../../ports/placement/move.ts'
import { bind, slot, template, type Template } from '../statement/compiler.ts'
import {
  resultsOf,
  rowsOf,
  type BoundValue,
  type Executor,
  type ResultRow,
  type Statement,
} from '../statement/executor.ts'
import { parsed, type JsonText } from '../database/json-text.ts'
import { templateCache } from '../../sql/statement.ts'
import { ANSWER_BYTES_MAX, bytesOf, columnsOf, keyValues, movedRow, tuple } from './rows.ts'

/** The maximum number of the journal's keys that a chunk names. */
const JOURNALED_MAX = 2_000

type Found = ResultRow & { readonly rows_found: number }
const chunks = templateCache<Template<Found>>()
const successors = templateCache<Template<{ readonly id: string }>>()

/**
 * Selects rows of one organization after a key, as many as fit into one answer. Each row also says how many rows there
 * were to choose from.
 */
function chunkTemplate(table: MovedTable, isBehind: boolean): Template<Found> {
  const shape = JSON.stringify([table, isBehind])
  return chunks(shape, () => {
    const rest = table.key.slice(1)
    const key = rest.map((column) => sql.id('t', column))
    const after = rest.map((_, index) => slot(`after${index + 1}`))
    const behind = isBehind ? sql`and ${tuple(key)} > ${tuple(after)}` : sql``
    const order = sql.join(table.key.map((column) => sql.id('t', column)))
    const running = sql`over (order by ${order} rows between unbounded preceding and current row)`
    // Only sizes are added up at first, without the texts, so that a few large rows do not fill the memory.
    return template(sql<Found>`
      with sized as materialized (
        select ${sql.join(table.key.map((column) => sql.id('t', column)))}, sum(row_bytes) ${running} as running_bytes,
          row_number() ${running} as nth, count(*) over () as rows_found
        from (select ${order}, ${bytesOf(table)} as row_bytes from ${sql.id(table.name)} as t
          where ${sql.id('t', 'organization_id')} = ${slot('organizationId')} ${behind}
          order by ${order} limit +${slot('limit')}) as t
      )
      select ${columnsOf(table)}, s.rows_found from sized as s cross join ${sql.id(table.name)} as t
        on ${sql.join(
          table.key.map((column) => sql`${sql.id('t', column)} = ${sql.id('s', column)}`),
          sql` and `,
        )}
      where s.running_bytes <= ${sql.lit(ANSWER_BYTES_MAX)} or s.nth = 1 order by ${order}`)
  })
}

/** The next organization of the family that has rows in a table. */
function nextOrganization(table: MovedTable): Template<{ readonly id: string }> {
  return successors(table.name, () =>
    template(sql<{ readonly id: string }>`
      select m.organization_id as id from move_organizations as m
      where m.move_id = ${slot('journalId')} and m.organization_id > ${slot('organizationId')}
        and exists (select 1 from ${sql.id(table.name)} as t where t.organization_id = m.organization_id)
      order by m.organization_id limit 1`),
  )
}

const readJournaled = template(sql<{ readonly key: JsonText<MoveKey> }>`
  select distinct key from move_journal where journal_id = ${slot('journalId')} and table_name = ${slot('table')}
  limit +${slot('limit')}`)

/** The statement that reads rows at a position. */
function rowsStatement(table: MovedTable, { organizationId, after }: MovePosition, limit: number) {
  const values: Record<string, BoundValue> = { organizationId, limit, ...keyValues('after', after ?? []) }
  // An organization's own row has no key but the organization, so no row can follow it.
  if (after !== null && table.key.length === 1) values.limit = 0
  return bind(chunkTemplate(table, after !== null && table.key.length > 1), values)
}

/** Reads the family's rows from a position on. */
export async function readChunk(
  executor: Executor,
  journalId: string,
  table: MovedTable,
  from: MovePosition | null,
  rowsMax: number,
): Promise<MoveChunk> {
  const position = from ?? (await firstPosition(executor, journalId, table))
  const journaledOf = bind(readJournaled, { journalId, table: table.name, limit: JOURNALED_MAX + 1 })
  if (position === null) {
    const rows = await rowsOf(executor, journaledOf)
    return { rows: [], to: null, journaled: keysOf(rows) }
  }
  const { organizationId } = position
  const [found, next, journaled] = await resultsOf(executor, [
    rowsStatement(table, position, rowsMax),
    bind(nextOrganization(table), { journalId, organizationId }),
    journaledOf,
  ])
  const { rows, last } = foundRows(table, found.rows, rowsMax)
  return {
    rows,
    to: last === null ? start(next.rows) : { organizationId, after: last },
    journaled: keysOf(journaled.rows),
  }
}

/** Reads rows of one organization, after a key. `last` null: there are no more. */
export async function readRowsOfOne(
  executor: Executor,
  table: MovedTable,
  position: MovePosition,
  rowsMax: number,
): Promise<{ readonly rows: readonly MovedRow[]; readonly last: MoveKey | null }> {
  return foundRows(table, await rowsOf(executor, rowsStatement(table, position, rowsMax)), rowsMax)
}

/** The rows of an answer, and the key of the last one when others may follow. */
function foundRows(table: MovedTable, found: readonly Found[], rowsMax: number) {
  const rows = found.map((row) => movedRow(table, row))
  const isCut = rows.length === rowsMax || rows.length < (found[0]?.rows_found ?? 0)
  return { rows, last: isCut ? (rows.at(-1)?.slice(0, table.key.length) ?? null) : null }
}

async function firstPosition(
  executor: Executor,
  journalId: string,
  table: MovedTable,
): Promise<MovePosition | null> {
  // Every id of an organization sorts after the empty text.
  const statement: Statement<{ readonly id: string }> = bind(nextOrganization(table), {
    journalId,
    organizationId: '',
  })
  return start(await rowsOf(executor, statement))
}

function start(rows: readonly { readonly id: string }[]): MovePosition | null {
  const [row] = rows
  return row === undefined ? null : { organizationId: row.id, after: null }
}

function keysOf(rows: readonly { readonly key: JsonText<MoveKey> }[]): readonly MoveKey[] | null {
  return rows.length > JOURNALED_MAX ? null : rows.map(({ key }) => parsed(key))
}
