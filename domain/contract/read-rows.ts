import type { GroupsQuery, Position, ReadQuery, StoredRow } from '../../ports/query.ts'
import type { LinkSource } from '../../ports/link-source.ts'
import type { RecordSource, SourceFailure, SourceRefusal } from '../../ports/record-source.ts'
import type { ReadPlan } from './read-plan.ts'
import type { Reply } from './reply.ts'
import { notFound } from './reply.ts'

/** A plan that asks for rows. */
export type RowsPlan = Extract<ReadPlan, { readonly kind: 'page' | 'groups' | 'one' }>

/** What storage is asked for a plan: the parent where there is one, then the rows, one more than a page to learn of the next. */
export function storageQueries({ parent, query }: RowsPlan): readonly ReadQuery[] {
  const asked = query.kind === 'one' ? query : { ...query, limit: query.limit + 1 }
  return parent === null ? [asked] : [parent, asked]
}

/** Answers a plan with what storage gave for its `storageQueries`. */
export function answerFromStorage(
  plan: RowsPlan,
  results: readonly (readonly StoredRow[])[],
): Promise<Reply> {
  if (plan.parent !== null && results[0]?.length !== 1) return Promise.resolve(notFound())
  const rows = results.at(-1) ?? []
  if (plan.kind === 'one') {
    const [row] = rows
    return row === undefined ? Promise.resolve(notFound()) : plan.answer(row)
  }
  const { limit } = plan.query
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  if (plan.kind === 'groups') {
    return plan.answer({ rows: shown, next: last === undefined ? null : groupPositionOf(last, plan.query) })
  }
  const { order } = plan.query
  const next =
    last === undefined
      ? null
      : { value: last[order.field] as Position['value'], id: last[order.idField] as string }
  return plan.answer({ rows: shown, next })
}

function groupPositionOf(group: StoredRow, { sums }: GroupsQuery) {
  return { sum: group[sums[0]] as number, value: group.value as string | null }
}

/** Answers of a source that hand over no rows. */
export type SourceNegative = SourceFailure | SourceRefusal

/**
 * Answers a plan with rows of an outside source. Of a nested route, the source has the parent too.
 * @param refused makes the answer when the source cannot be used, or not so
 */
export async function answerFromSource(
  plan: RowsPlan,
  source: RecordSource | LinkSource,
  refused: (negative: SourceNegative) => Reply,
): Promise<Reply> {
  if (plan.parent !== null) {
    const parent = await source.one(plan.parent)
    if (parent.kind !== 'row') return refused(parent)
    if (parent.row === null) return notFound()
  }
  switch (plan.kind) {
    case 'page': {
      const page = await source.page(plan.query)
      return page.kind === 'page' ? plan.answer(page) : refused(page)
    }
    case 'groups': {
      if (!('groups' in source)) throw new Error('Groups were planned for a source that has none')
      const page = await source.groups(plan.query)
      return page.kind === 'groups' ? plan.answer(page) : refused(page)
    }
    case 'one': {
      const found = await source.one(plan.query)
      if (found.kind !== 'row') return refused(found)
      return found.row === null ? notFound() : plan.answer(found.row)
    }
  }
}
