import type { Position, ReadQuery, StoredRow } from '../../ports/query.ts'
import type { RecordSource } from '../../ports/record-source.ts'
import type { ReadPlan } from './read-plan.ts'
import type { Reply } from './reply.ts'
import { notFound } from './reply.ts'

/** A plan that asks for rows. */
export type RowsPlan = Extract<ReadPlan, { readonly kind: 'page' | 'one' }>

/** What storage is asked for a plan: the parent where there is one, then the rows, one more than a page to learn of the next. */
export function storageQueries({ parent, query }: RowsPlan): readonly ReadQuery[] {
  const asked = query.kind === 'page' ? { ...query, limit: query.limit + 1 } : query
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
  const { limit, order } = plan.query
  if (rows.length <= limit) return plan.answer({ rows, next: null })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const next =
    last === undefined
      ? null
      : { value: last[order.field] as Position['value'], id: last[order.idField] as string }
  return plan.answer({ rows: shown, next })
}

/**
 * Answers a plan with rows of an outside source. A route with a parent has none: a source cannot tell whether a
 * row of this service's storage exists.
 * @param failed makes the answer when the source cannot be used, of its reason
 */
export async function answerFromSource(
  plan: RowsPlan,
  source: RecordSource,
  failed: (reason: string) => Reply,
): Promise<Reply> {
  if (plan.parent !== null) throw new Error('A nested route was planned for an outside source')
  if (plan.kind === 'page') {
    const page = await source.page(plan.query)
    return page.kind === 'page' ? plan.answer(page) : failed(page.reason)
  }
  const found = await source.one(plan.query)
  if (found.kind === 'unavailable') return failed(found.reason)
  return found.row === null ? notFound() : plan.answer(found.row)
}
