import type { FoundRows, MovedRow, MovedTable, MoveKey, TableSpan, WantedRows } from '../../../ports/move.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, name, slot, template } from '../statement/compiler.ts'
import type { Executor, ResultRow, Statement } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { templateCache } from '../statement/template-cache.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'
import { ANSWER_BYTES_MAX, bytesOf, columnsOf, keyValues, movedRow, tuple } from './rows.ts'

type Wanted = ResultRow & { readonly is_found: number }
const byKeys = templateCache<Template<Wanted>>()
const spans = templateCache<Template<ResultRow>>()

/** A row for each key in order, as many as fit into an answer. Where there is no row, the columns are null. */
function byKeysTemplate(table: MovedTable): Template<Wanted> {
  return byKeys(JSON.stringify(table), () => {
    const isRow = (key: RawBuilder<unknown>) =>
      sql.join(
        table.key.map((column, index) => sql`${name('t', column)} = ${key} ->> ${sql.lit(index)}`),
        sql` and `,
      )
    return template(sql<Wanted>`
      with sized as materialized (
        select k.key as nth, k.value as wanted, sum(${bytesOf(table)}) over (
          order by k.key rows between unbounded preceding and current row) as running_bytes
        from json_each(${slot('keys')}) as k left join ${name(table.name)} as t on ${isRow(sql`k.value`)}
      )
      select ${name('t', 'organization_id')} is not null as is_found, ${columnsOf(table)}
      from sized as s left join ${name(table.name)} as t on ${isRow(sql`s.wanted`)}
      where s.running_bytes <= ${sql.lit(ANSWER_BYTES_MAX)} or s.nth = 0 order by s.nth`)
  })
}

/** The statement that looks up rows by their keys. */
export function byKeysStatement({ table, keys }: WantedRows): Statement<Wanted> {
  return bind(byKeysTemplate(table), { keys: JSON.stringify(keys) })
}

/** Looks up rows by their keys, in one batch. */
export async function readRows(
  executor: Executor,
  wanted: readonly WantedRows[],
): Promise<readonly FoundRows[]> {
  if (wanted.length === 0) return []
  const results = await resultsOf(executor, wanted.map(byKeysStatement))
  return wanted.map(({ table }, index) => {
    const rows = results[index]?.rows ?? []
    const found = rows.filter(({ is_found }) => is_found === 1)
    return { rows: found.map((row) => movedRow(table, row)), lookedUp: rows.length }
  })
}

/** Rows of one organization, behind one key and up to another. */
function ofOneTemplate(table: MovedTable, isBehind: boolean, isUpTo: boolean): Template<ResultRow> {
  return spans(JSON.stringify([table, isBehind, isUpTo]), () => {
    const key = tuple(table.key.slice(1).map((column) => name('t', column)))
    const bound = (prefix: string) =>
      tuple(table.key.slice(1).map((_, index) => slot(`${prefix}${index + 1}`)))
    const behind = isBehind ? sql`and ${key} > ${bound('after')}` : sql``
    const upTo = isUpTo ? sql`and ${key} <= ${bound('upTo')}` : sql``
    return template(sql<ResultRow>`
      select ${columnsOf(table)} from ${name(table.name)} as t where t.organization_id = ${slot('organizationId')}
        ${behind} ${upTo} limit +${slot('limit')}`)
  })
}

/** Rows of the organizations behind one. */
function ofOthersTemplate(table: MovedTable): Template<ResultRow> {
  return spans(JSON.stringify([table]), () =>
    template(sql<ResultRow>`
      select ${columnsOf(table)} from move_organizations as m cross join ${name(table.name)} as t
        on t.organization_id = m.organization_id
      where m.move_id = ${slot('moveId')} and m.organization_id > ${slot('organizationId')}
        and (${slot('before')} is null or m.organization_id < ${slot('before')})
      limit +${slot('limit')}`),
  )
}

function ofOne(
  table: MovedTable,
  organizationId: string,
  after: MoveKey | null,
  upTo: MoveKey | null,
  limit: number,
): Statement<ResultRow> {
  // The organization is the whole key of its own row, so behind that there is nothing.
  const hasRest = table.key.length > 1
  return bind(ofOneTemplate(table, hasRest && after !== null, hasRest && upTo !== null), {
    organizationId,
    ...keyValues('after', after ?? []),
    ...keyValues('upTo', upTo ?? []),
    limit: !hasRest && after !== null ? 0 : limit,
  })
}

/** The rest of the organization in which the span begins, the beginning of the one in which it ends, all in between. */
function spanStatements(
  moveId: string,
  table: MovedTable,
  { from, to }: TableSpan,
  limit: number,
): readonly Statement<ResultRow>[] {
  const isWithin = from !== null && from.organizationId === to?.organizationId
  const first = from?.organizationId ?? ''
  const before = to?.organizationId ?? null
  return [
    ...(from === null ? [] : [ofOne(table, first, from.after, isWithin ? to.after : null, limit)]),
    bind(ofOthersTemplate(table), { moveId, organizationId: first, before, limit }),
    ...(isWithin || to === null || to.after === null
      ? []
      : [ofOne(table, to.organizationId, null, to.after, limit)]),
  ]
}

/** Rows of the family within a span, in no particular order. */
export async function readSpan(
  executor: Executor,
  moveId: string,
  table: MovedTable,
  span: TableSpan,
  rowsMax: number,
): Promise<{ readonly rows: readonly MovedRow[]; readonly isWhole: boolean }> {
  const results = await resultsOf(executor, spanStatements(moveId, table, span, rowsMax + 1))
  const rows = results.flatMap((result) => result.rows.map((row) => movedRow(table, row)))
  return { rows: rows.slice(0, rowsMax), isWhole: rows.length <= rowsMax }
}
