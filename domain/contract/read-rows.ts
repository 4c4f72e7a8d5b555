import type { ReadQuery, StoredRow } from '../../ports/query.ts'
import type { RecordSource } from '../../ports/record-source.ts'
import { cutPage } from '../paging/cut-page.ts'
import { checkedRow } from './checked-row.ts'
import { idMaxLength } from './field.ts'
import type { ReadPlan } from './read-plan.ts'
import type { Reply } from './reply.ts'
import { notFound } from './reply.ts'
import type { Resource } from './resource.ts'

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
  return plan.answer(cutPage(rows, plan.query))
}

/**
 * Answers a plan with rows of an outside source, none of which is published before it was checked. A route with a
 * parent has none: a source cannot tell whether a row of this service's storage exists.
 * @param resource what the rows must be rows of
 * @param failed makes the answer when the source cannot be used, of its reason
 * @throws UnpublishableRow for a row that lacks what it is never published without
 */
export async function answerFromSource(
  plan: RowsPlan,
  resource: Resource,
  source: RecordSource,
  failed: (reason: string) => Reply,
): Promise<Reply> {
  if (plan.parent !== null) throw new Error('A nested route was planned for an outside source')
  const { select } = plan.query
  const misfit = (field: string) => failed(`a row of ${resource.collection} has an unusable ${field}`)
  if (plan.kind === 'one') {
    // No row of such an id would be published, so there is nothing to ask for.
    if (plan.query.id.length > idMaxLength) return notFound()
    const found = await source.one(plan.query)
    if (found.kind === 'unavailable') return failed(found.reason)
    if (found.row === null) return notFound()
    const reading = checkedRow(resource, select, found.row)
    return reading.kind === 'row' ? plan.answer(reading.row) : misfit(reading.field)
  }
  const page = await source.page(plan.query)
  if (page.kind === 'unavailable') return failed(page.reason)
  if (page.rows.length > plan.query.limit) return failed('it answered more rows than were asked for')
  const rows: StoredRow[] = []
  for (const given of page.rows) {
    const reading = checkedRow(resource, select, given)
    if (reading.kind === 'misfit') return misfit(reading.field)
    rows.push(reading.row)
  }
  return plan.answer({ rows, next: page.next })
}
