import type { LinkSource } from '../../ports/link-source.ts'
import type { PageQuery, ReadQuery, StoredRow } from '../../ports/query.ts'
import type { RecordSource, SourceFailure, SourceRefusal } from '../../ports/record-source.ts'
import { cutPage } from '../paging/cut-page.ts'
import type { Group } from '../paging/page-of-groups.ts'
import { positionOfGroup } from '../paging/page-of-groups.ts'
import { checkedRow } from './checked-row.ts'
import { idMaxLength } from './field.ts'
import type { ReadPlan } from './read-plan.ts'
import type { Reply } from './reply.ts'
import { notFound } from './reply.ts'
import type { Resource } from './resource.ts'

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
  if (plan.kind === 'page') return plan.answer(cutPage(rows, plan.query))
  const { limit } = plan.query
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const next = last === undefined ? null : positionOfGroup(last as Group, plan.query.sums[0])
  return plan.answer({ rows: shown, next })
}

/** Answers of a source that hand over no rows. */
export type SourceNegative = SourceFailure | SourceRefusal

/**
 * Answers a plan with rows of an outside source, none of which is published before it was checked. Of a nested route,
 * the source has the parent too.
 * @param resource what the rows must be rows of
 * @param refused makes the answer when the source cannot be used, or not so
 * @throws UnpublishableRow for a row that lacks what it is never published without
 */
export async function answerFromSource(
  plan: RowsPlan,
  resource: Resource,
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
      if (page.kind !== 'page') return refused(page)
      const rows = checkedRows(resource, page.rows, plan.query)
      return 'kind' in rows ? refused(rows) : plan.answer({ rows, next: page.next })
    }
    case 'groups': {
      if (!('groups' in source)) throw new Error('Groups were planned for a source that has none')
      const page = await source.groups(plan.query)
      return page.kind === 'groups' ? plan.answer(page) : refused(page)
    }
    case 'one': {
      // No row of such an id would be published, so there is nothing to ask for.
      if (plan.query.id.length > idMaxLength) return notFound()
      const found = await source.one(plan.query)
      if (found.kind !== 'row') return refused(found)
      if (found.row === null) return notFound()
      const reading = checkedRow(resource, plan.query.select, found.row)
      return reading.kind === 'row' ? plan.answer(reading.row) : refused(misfit(resource, reading.field))
    }
  }
}

function checkedRows(
  resource: Resource,
  given: readonly StoredRow[],
  { limit, select }: PageQuery,
): readonly StoredRow[] | SourceFailure {
  if (given.length > limit)
    return { kind: 'unavailable', reason: 'it answered more rows than were asked for' }
  const rows: StoredRow[] = []
  for (const each of given) {
    const reading = checkedRow(resource, select, each)
    if (reading.kind === 'misfit') return misfit(resource, reading.field)
    rows.push(reading.row)
  }
  return rows
}

function misfit({ collection }: Resource, field: string): SourceFailure {
  return { kind: 'unavailable', reason: `a row of ${collection} has an unusable ${field}` }
}
