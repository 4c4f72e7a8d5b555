import type { Organization, QueryResult } from '../../ports/organizations.ts'
import type { LinkSource, PosSource, PosCapabilities } from '../../ports/sources.ts'
import type {
  RecordSource,
  SourceRefusal,
  PageQuery,
  ReadQuery,
  StoredRow,
  SourceFailure,
} from '../../ports/records.ts'
import {
  refusalOf,
  errorReply,
  internalError,
  notFound,
  sourceUnavailable,
  jsonTextReply,
  PRIVATE,
  type RoutedRequest,
  type Reply,
} from '../record/reply.ts'
import { openReader, type TenantReader, type KeyWorld } from '../access/authenticate.ts'
import {
  UnpublishableRow,
  cutPage,
  positionOfGroup,
  checkedRow,
  withOnly,
  cutTexts,
  positionIn,
  isEmpty,
  linesOf,
  parsedLine,
  storedRowsOf,
  type PageOfTexts,
} from './page.ts'
import { withDeprecation, type ReadEndpoint, type RowsFrom } from '../record/endpoint.ts'
import { LOOKED_AT_MAX } from './query.ts'
import { planCollection, planDetail, type ReadPlan, type ReadRequest, planGroups } from './plan.ts'
import { queryOf } from '../text/http.ts'
import type { Served } from '../access/serve-operation.ts'
import { idMaxLength } from '../record/field.ts'
import type { Resource } from '../record/resource.ts'
import type { Log, Clock } from '../../ports/platform.ts'

/** A source of rows outside this service. Some kinds of sources also declare how they differ. */
type AnySource = RecordSource | PosSource | LinkSource

/** One read: the endpoint, the request and the caller's key. */
interface Read {
  readonly endpoint: ReadEndpoint
  readonly request: ReadRequest
  readonly requestId: string
  readonly tenant: TenantReader
  readonly world: ReadWorld
}

/** What serves a canonical read, from its record. */
export function served(endpoint: ReadEndpoint): Served<ReadWorld> {
  return {
    serve: (routed, world) => serveRead(endpoint, routed, world, null),
    judge: (routed, world, verdict) => serveRead(endpoint, routed, world, verdict),
  }
}

/** @param verdict what a caller with a valid key is told instead, for example that the method is wrong; null: nothing */
async function serveRead(
  endpoint: ReadEndpoint,
  routed: RoutedRequest,
  world: ReadWorld,
  verdict: Reply | null,
): Promise<Reply> {
  const tenant = openReader(routed, endpoint.scope, world)
  if ('refusal' in tenant) return tenant.refusal
  const { organizationId } = tenant
  const request: ReadRequest = {
    organizationId,
    params: routed.params,
    query: queryOf(routed.url),
    nowMs: world.clock.nowMs(),
    looksAtMax: world.looksAtMax ?? LOOKED_AT_MAX,
  }
  const read = { endpoint, request, requestId: routed.requestId, tenant, world }
  const open = endpoint.rowsFrom === 'storage' ? null : world.sources[endpoint.rowsFrom]
  if (open !== null) return serveFromSource(read, open, verdict)
  if (verdict === null) return serveFromStorage(read)
  const outcome = await tenant.read([])
  return outcome.kind === 'refused' ? outcome.refusal : verdict
}

/**
 * The key check and the page are one storage call. When a request cannot be planned, its key is still checked first, so
 * that only the holder of a key learns what is wrong with the request.
 */
async function serveFromStorage(read: Read): Promise<Reply> {
  const { endpoint, tenant } = read
  const first = await plan(read, null)
  const outcome = await tenant.read(asksForRows(first) ? storageQueries(first) : [])
  if (outcome.kind === 'refused') return outcome.refusal
  const refusal = refusalOf(endpoint.requires, outcome.organization)
  if (refusal !== null) return refusal
  if (asksForRows(first)) return answerFromStorage(first, outcome.results)
  if (first.kind === 'refusal') return first.reply

  const second = await plan(read, outcome.organization.phoneCountry)
  if (!asksForRows(second)) return refusalIn(second)
  const again = await tenant.read(storageQueries(second))
  return again.kind === 'refused' ? again.refusal : answerFromStorage(second, again.results)
}

/**
 * A source is asked only after the key has been checked, so that callers without a key cannot keep it busy. For an
 * organization without a source the route does not exist. All other replies have the endpoint's deprecation headers.
 */
async function serveFromSource(read: Read, open: OpenSource, verdict: Reply | null): Promise<Reply> {
  const { endpoint, request, tenant } = read
  const id = endpoint.kind === 'detail' ? (request.params[endpoint.param] ?? '') : null
  const answered = (reply: Reply) =>
    endpoint.deprecation === null ? reply : withDeprecation(reply, endpoint.deprecation, id)
  const outcome = await tenant.read([])
  if (outcome.kind === 'refused') {
    const { refusal, organization } = outcome
    return organization !== null && mayUse(endpoint, organization) ? answered(refusal) : refusal
  }
  const { organization } = outcome
  const source = mayUse(endpoint, organization) ? open(organization) : null
  if (source === null) return verdict ?? notFound()
  const refusal = verdict ?? refusalOf(endpoint.requires, organization)
  return answered(refusal ?? (await readOrFail(read, source, organization.phoneCountry)))
}

function mayUse({ onlyFor }: Read['endpoint'], { posSource }: Organization): boolean {
  return onlyFor === null || posSource?.kind === onlyFor
}

/** The reply, or an internal failure for a row that cannot be published. The log names that row by its id alone. */
async function readOrFail(read: Read, source: AnySource, phoneCountry: string): Promise<Reply> {
  const { endpoint, requestId, world } = read
  try {
    return await readSource(read, source, phoneCountry)
  } catch (cause) {
    const row =
      cause instanceof UnpublishableRow
        ? { collection: cause.collection, rowId: cause.rowId, missing: cause.field }
        : {}
    world.log.error('request_failed', { requestId, endpointId: endpoint.id, ...row }, cause)
    return internalError(requestId)
  }
}

async function readSource(read: Read, source: AnySource, phoneCountry: string): Promise<Reply> {
  const { endpoint, requestId, world } = read
  const made = await plan(read, phoneCountry)
  if (!asksForRows(made)) return refusalIn(made)
  const unmet = 'capabilities' in source ? unmetNeed(endpoint, made.query, source.capabilities) : null
  if (unmet !== null) return errorReply(400, unmet)
  return answerFromSource(made, endpoint.resource, source, (negative) => {
    if (negative.kind === 'unsupported') return errorReply(400, unsupported(endpoint, negative))
    const { reason, cause } = negative
    world.log.error('source_unavailable', { requestId, endpointId: endpoint.id, reason }, cause)
    return sourceUnavailable()
  })
}

/** The sentence that names the parameter that a source does not support. */
function unsupported(endpoint: ReadEndpoint, { field, operator, allowed }: SourceRefusal): string {
  const filters = endpoint.kind === 'detail' ? [] : Object.entries(endpoint.filters)
  const [name = 'sortBy'] =
    filters.find(([, filter]) => filter.field === field && filter.operator === operator) ?? []
  return `Parameter ${name} ${allowed}.`
}

function plan({ endpoint, request, world }: Read, phoneCountry: string | null): Promise<ReadPlan> {
  switch (endpoint.kind) {
    case 'collection':
      return planCollection(endpoint, request, phoneCountry, world.secrets)
    case 'groups':
      return planGroups(endpoint, request, phoneCountry, world.secrets)
    case 'detail':
      return planDetail(endpoint, request, phoneCountry, world.secrets)
  }
}

function asksForRows(made: ReadPlan): made is RowsPlan {
  return made.kind === 'page' || made.kind === 'groups' || made.kind === 'one'
}

function refusalIn(made: Exclude<ReadPlan, RowsPlan>): Reply {
  if (made.kind === 'refusal') return made.reply
  throw new Error('A plan asked for the phone country although it was given')
}

/** A plan that needs rows. */
type RowsPlan = Extract<ReadPlan, { readonly kind: 'page' | 'groups' | 'one' }>

/**
 * The queries of a plan: for the parent, if there is one, and for the rows. A page is read with one row more, to learn
 * whether another page follows.
 */
function storageQueries({ parent, query }: RowsPlan): readonly ReadQuery[] {
  const asked = query.kind === 'one' ? query : { ...query, limit: query.limit + 1 }
  return parent === null ? [asked] : [parent, asked]
}

/** Replies to a plan with the results of its `storageQueries`. */
async function answerFromStorage(plan: RowsPlan, results: readonly QueryResult[]): Promise<Reply> {
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
type SourceNegative = SourceFailure | SourceRefusal

/**
 * Replies to a plan with rows of an outside source. Each row is checked before it is published. For a nested route, the
 * source also has the parent.
 * @param resource the resource to which the rows must conform
 * @param refused makes the reply when the source cannot be used, or does not support the query
 * @throws UnpublishableRow for a row that lacks a value without which it must not be published
 */
async function answerFromSource(
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

/**
 * The problem of the filters of a read at a source with these capabilities, as a sentence for the caller. Null when
 * every filter that needs another one at this source has it.
 */
function unmetNeed(endpoint: ReadEndpoint, query: ReadQuery, capabilities: PosCapabilities): string | null {
  if (endpoint.kind !== 'collection' || query.kind !== 'page') return null
  const isGiven = (parameter: string) => {
    const filter = endpoint.filters[parameter]
    return query.where.some(({ field, operator }) => field === filter?.field && operator === filter.operator)
  }
  const unmet = endpoint.filterNeeds.find(
    ({ filter, needs, at }) => capabilities[at] && isGiven(filter) && !isGiven(needs),
  )
  return unmet === undefined
    ? null
    : `Parameter ${unmet.filter} needs ${unmet.needs} with it: the point-of-sale system of this organization ` +
        'finds such rows only from an instant on.'
}

/** Opens the rows of an organization at an outside source, without I/O; null: the organization has no such source. */
export type OpenSource<Source extends RecordSource = RecordSource | LinkSource> = (
  organization: Organization,
) => Source | null

/** The sources of rows other than this service's own storage. */
export interface Sources extends Readonly<Record<Exclude<RowsFrom, 'storage'>, OpenSource | null>> {
  /** Null: links are read from this service's own storage. */
  readonly links: OpenSource<LinkSource> | null
  readonly pos: OpenSource
}

/** The ports that a read needs. */
export interface ReadWorld extends KeyWorld {
  readonly sources: Sources
  readonly clock: Clock
  readonly log: Log
  /** See `LOOKED_AT_MAX`, which is the default. */
  readonly looksAtMax?: number
}
