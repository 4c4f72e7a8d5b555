import type { LinkSource } from '../../ports/sources.ts'
import type { QueryResult } from '../../ports/organizations.ts'
import type {
  PageQuery,
  ReadQuery,
  StoredRow,
  RecordSource,
  SourceFailure,
  SourceRefusal,
} from '../../ports/records.ts'
import { cutPage } from './pages/cut-page.ts'
import { positionOfGroup } from './pages/page-of-groups.ts'
import { checkedRow, withOnly } from './pages/checked-row.ts'
import { idMaxLength } from '../record/field.ts'
import type { ReadPlan } from './plan/read-plan.ts'
import { jsonTextReply, notFound, PRIVATE, type Reply } from '../record/operation/reply.ts'
import { cutTexts, positionIn, type PageOfTexts } from './pages/page-of-texts.ts'
import { isEmpty, linesOf, parsedLine, storedRowsOf } from './pages/query-result.ts'
import type { Resource } from '../record/resource.ts'

/** A plan that needs rows. */
export type RowsPlan = Extract<ReadPlan, { readonly kind: 'page' | 'groups' | 'one' }>

/**
 * The queries of a plan: for the parent, if there is one, and for the rows. A page is read with one row more, to learn
 * whether another page follows.
 */
export function storageQueries({ parent, query }: RowsPlan): readonly ReadQuery[] {
  const asked = query.kind === 'one' ? query : { ...query, limit: query.limit + 1 }
  return parent === null ? [asked] : [parent, asked]
}

/** Replies to a plan with the results of its `storageQueries`. */
export async function answerFromStorage(plan: RowsPlan, results: readonly QueryResult[]): Promise<Reply> {
  const result = results.at(-1)
  const isOrphan = plan.parent !== null && (results[0] === undefined || isEmpty(results[0]))
  if (result === undefined || isOrphan) return notFound()
  switch (plan.kind) {
    case 'one':
      return answerOne(plan, result)
    case 'page':
      return plan.answer(pageOfResult(plan, result))
    case 'groups': {
      const rows = storedRowsOf(result)
      const { limit } = plan.query
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      const next = last === undefined ? null : positionOfGroup(last, plan.query.sums[0])
      return plan.answer({ rows: shown, next })
    }
  }
}

type OnePlan = Extract<RowsPlan, { readonly kind: 'one' }>
type PagePlan = Extract<RowsPlan, { readonly kind: 'page' }>

function answerOne({ query, publish, isAsked }: OnePlan, result: QueryResult): Reply {
  if (isEmpty(result)) return notFound()
  if (result.kind === 'lines' && publish === null && isAsked === null) return rowReply(result.text)
  const [row = {}] = storedRowsOf(result)
  if (isAsked?.(row) === false) return notFound()
  return rowReply(storedText(publish, query.select, row))
}

function rowReply(text: string): Reply {
  return jsonTextReply(200, text, PRIVATE)
}

/**
 * The page of a result. The lines of JSON are published directly when nothing is computed from them; else each row is
 * serialised.
 */
function pageOfResult({ query, publish }: PagePlan, result: QueryResult): PageOfTexts {
  const lines = publish === null ? linesOf(result) : null
  if (lines !== null) {
    const texts = lines.length > query.limit ? lines.slice(0, query.limit) : lines
    const lastShown = texts.at(-1)
    const isFull = lines.length > query.limit && lastShown !== undefined
    const next = isFull ? positionIn(parsedLine(lastShown), query.order) : result.stoppedAt
    return cutTexts({ texts, next }, query.order, (index) => parsedLine(texts[index] ?? ''))
  }
  const { rows, next } = cutPage(storedRowsOf(result), query, result.stoppedAt)
  const texts = rows.map((row) => storedText(publish, query.select, row))
  return cutTexts({ texts, next }, query.order, (index) => rows[index] ?? {})
}

/** The JSON of a published row. Without a serializer, its fields are in the order of the query. */
function storedText(publish: PagePlan['publish'], select: readonly string[], row: StoredRow): string {
  return publishedText(publish, publish === null ? withOnly(select, row) : row)
}

function publishedText(publish: PagePlan['publish'], row: StoredRow): string {
  return JSON.stringify(publish === null ? row : publish(row))
}

/** A source's result without rows. */
export type SourceNegative = SourceFailure | SourceRefusal

/**
 * Replies to a plan with rows of an outside source. Each row is checked before it is published. For a nested route, the
 * source also has the parent.
 * @param resource the resource to which the rows must conform
 * @param refused makes the reply when the source cannot be used, or does not support the query
 * @throws UnpublishableRow for a row that lacks a value without which it must not be published
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
      if ('kind' in rows) return refused(rows)
      const texts = rows.map((row) => publishedText(plan.publish, row))
      const published = { texts, next: page.next }
      // A source of links returns at most 100 small rows and has its own kind of page positions, so its pages cannot
      // end early.
      if ('groups' in source) return plan.answer(published)
      return plan.answer(cutTexts(published, plan.query.order, (index) => page.rows[index] ?? {}))
    }
    case 'groups': {
      if (!('groups' in source)) throw new Error('Groups were planned for a source that has none')
      const page = await source.groups(plan.query)
      return page.kind === 'groups' ? plan.answer(page) : refused(page)
    }
    case 'one': {
      // No row with such an id would be published, so the source need not be asked.
      if (plan.query.id.length > idMaxLength) return notFound()
      const found = await source.one(plan.query)
      if (found.kind !== 'row') return refused(found)
      if (found.row === null) return notFound()
      const reading = checkedRow(resource, plan.query.select, found.row)
      if (reading.kind === 'misfit') return refused(misfit(resource, reading.field))
      if (plan.isAsked?.(reading.row) === false) return notFound()
      return rowReply(publishedText(plan.publish, reading.row))
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
