import { sql, type Expression } from 'kysely'
import type {
  FoundRows,
  MovedRow,
  MovedTable,
  MoveKey,
  TableSpan,
  WantedRows,
} from '../../../ports/placement/move.ts'
import { bind, slot, template, type Template } from '../statement/compiler.ts'
import { resultsOf, type Executor, type ResultRow, type Statement } from '../statement/executor.ts'
import { templateCache } from '../../sql/statement.ts'
import { ANSWER_BYTES_MAX, bytesOf, columnsOf, keyValues, movedRow, tuple } from './rows.ts'

type Wanted = ResultRow & { readonly is_found: number }
const byKeys = templateCache<Template<Wanted>>()
const spans = templateCache<Template<ResultRow>>()

/**
 * Selects a row for each key, in order, as many as fit into one answer. For a key without a row, all columns are null.
 */
function byKeysTemplate(table: MovedTable): Template<Wanted> {
  return byKeys(JSON.stringify(table), () => {
    const isRow = (key: Expression<unknown>) =>
      sql.join(
        table.key.map((column, index) => sql`${sql.id('t', column)} = ${key} ->> ${sql.lit(index)}`),
        sql` and `,
      )
    return template(sql<Wanted>`
      with sized as materialized (
        select k.key as nth, k.value as wanted, sum(${bytesOf(table)}) over (
          order by k.key rows between unbounded preceding and current row) as running_bytes
        from json_each(${slot('keys')}) as k left join ${sql.id(table.name)} as t on ${isRow(sql`k.value`)}
      )
      select ${sql.id('t', 'organization_id')} is not null as is_found, ${columnsOf(table)}
      from sized as s left join ${sql.id(table.name)} as t on ${isRow(sql`s.wanted`)}
      where s.running_bytes <= ${sql.lit(ANSWER_BYTES_MAX)} or s.nth = 0 order by s.nth`)
  })
}

/** The statement that looks up rows by their keys. */
function byKeysStatement({ table, keys }: WantedRows): Statement<Wanted> {
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

/** Selects rows of one organization, after one key and up to another. */
function ofOneTemplate(table: MovedTable, isBehind: boolean, isUpTo: boolean): Template<ResultRow> {
  return spans(JSON.stringify([table, isBehind, isUpTo]), () => {
    const key = tuple(table.key.slice(1).map((column) => sql.id('t', column)))
    const bound = (prefix: string) =>
      tuple(table.key.slice(1).map((_, index) => slot(`${prefix}${index + 1}`)))
    const behind = isBehind ? sql`and ${key} > ${bound('after')}` : sql``
    const upTo = isUpTo ? sql`and ${key} <= ${bound('upTo')}` : sql``
    return template(sql<ResultRow>`
      select ${columnsOf(table)} from ${sql.id(table.name)} as t where t.organization_id = ${slot('organizationId')}
        ${behind} ${upTo} limit +${slot('limit')}`)
  })
}

/** Selects rows of the organizations that follow a given one. */
function ofOthersTemplate(table: MovedTable): Template<ResultRow> {
  return spans(JSON.stringify([table]), () =>
    template(sql<ResultRow>`
      select ${columnsOf(table)} from move_organizations as m cross join ${sql.id(table.name)} as t
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
  // An organization's own row has no key but the organization, so no row can follow it.
  const hasRest = table.key.length > 1
  return bind(ofOneTemplate(table, hasRest && after !== null, hasRest && upTo !== null), {
    organizationId,
    ...keyValues('after', after ?? []),
    ...keyValues('upTo', upTo ?? []),
    limit: !hasRest && after !== null ? 0 : limit,
  })
}

/**
 * The statements for a span: the rest of the organization in which it begins, all organizations in between, and the
 * beginning of the organization in which it ends.
 */
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

/** Reads the family's rows within a span, in no particular order. */
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
