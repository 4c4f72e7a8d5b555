import * as v from 'valibot'
import type { Position, PageQuery, TenantWriter } from '../../ports/records.ts'
import {
  limitMeaning,
  DEFAULT_LIMIT,
  readLimit,
  decodeCursor,
  nextCursorOf,
  type CursorScope,
} from '../read/query.ts'
import { NO_GAPS, type Gaps, type PlacesList } from '../placement/find/visit-families.ts'
import { PAGE_ROWS_MAX } from '../record/endpoint.ts'
import { component, described, worded, type Words } from '../record/meaning.ts'
import { Pagination, cutPage } from '../read/page.ts'
import { errorReply, jsonReply, PRIVATE, type ErrorBody, type JsonReply } from '../record/reply.ts'
import { jsonResponse, type QueryParameter } from '../record/operation.ts'
import type { OperatorWorld } from './world.ts'

const limit: QueryParameter<number> = {
  description: limitMeaning(PAGE_ROWS_MAX),
  schema: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE_ROWS_MAX)),
  read: (given) => ({ kind: 'value', value: readLimit(given, PAGE_ROWS_MAX) }),
}

/** The parameter that continues a reply which comes in parts. */
export function cursorParameter(description: string): QueryParameter<string | null> {
  return optionalText(description, 'AbL3nQ0yVx7Rk2mZ9tWc')
}

/** The query parameters of every list. */
export const pageParameters = {
  limit,
  cursor: cursorParameter('`pagination.nextCursor` of the page before, from this very list.'),
}

/** The filter of a list over all organizations to one of them. */
export const organizationFilter = optionalText('Only what belongs to this organization.', 'acme')

/** A parameter that may be left out. An empty value counts as left out. */
export function optionalText(description: string, example: string): QueryParameter<string | null> {
  return {
    description,
    schema: v.string(),
    example,
    read: ([text = '', ...more], name) =>
      more.length > 0
        ? { kind: 'refused', error: `Parameter ${name} must be given at most once.` }
        : { kind: 'value', value: text === '' ? null : text },
  }
}

/** A parameter that may be left out, and is read. */
export function optionalRead<Value extends string>(
  description: string,
  { example, allowed, read }: OptionalReading<Value>,
): QueryParameter<Value | null> {
  const asText = optionalText(description, example)
  return {
    ...asText,
    read: (given, name) => {
      const reading = asText.read(given, name)
      if (reading.kind === 'refused' || reading.value === null) return { ...reading, value: null }
      const value = read(reading.value)
      return value === null
        ? { kind: 'refused', error: `Parameter ${name} ${allowed}.` }
        : { kind: 'value', value }
    },
  }
}

interface OptionalReading<Value> {
  readonly example: string
  /** What is refused otherwise, after the parameter's name: `must be a day`. */
  readonly allowed: string
  /** Null: it is refused. */
  readonly read: (text: string) => Value | null
}

/** A parameter that is one of some words, and may be left out. An empty value counts as left out. */
export function optionalWord<const Word extends string>(
  description: string,
  words: readonly Word[],
  example: NoInfer<Word>,
  said: Words = {},
): QueryParameter<Word | null> {
  const allowed = `must be one of: ${words.join(', ')}`
  const read = (text: string) => words.find((word) => word === text) ?? null
  return {
    ...optionalRead(description, { example, allowed, read }),
    schema: worded(v.picklist(words), said),
  }
}

/** The response that is a page of a list, in the example the only one. */
export function pageResponse<Page extends v.GenericSchema<unknown, PageBody<unknown>>>(
  description: string,
  page: Page,
  ...data: readonly v.InferOutput<Page>['data'][number][]
) {
  const pagination: Pagination = { limit: DEFAULT_LIMIT, hasMore: false, nextCursor: null }
  return jsonResponse(description, page, { data, pagination } as v.InferOutput<Page>)
}

/** The schema of a page of a list, with a name of its own in the document. */
export function pageOf<Item extends v.GenericSchema>(name: string, item: Item) {
  return component(
    name,
    described(v.strictObject({ data: v.array(item), pagination: Pagination }), 'A page of a list.'),
  )
}

/** The families whose databases did not answer. */
const Unanswered = described(
  v.array(v.string()),
  'Left out when every database answered. Else the organizations at the roots of the families whose databases did not: what they hold is missing here.',
)

/** The families whose creation was begun and never finished. */
const Unfinished = described(
  v.array(v.string()),
  'Left out when there is none. Else the organizations at the roots of families whose creation was begun and never finished: their databases hold nothing. Creating one again takes that up.',
)

/** The keys of a reply over several databases for the families whose data is missing from it. */
export const gapEntries = {
  unanswered: v.exactOptional(Unanswered),
  unfinished: v.exactOptional(Unfinished),
}

/** The gaps in their published form: each is present only when there is one. */
export function publishedGaps({ unanswered, unfinished }: Gaps): {
  unanswered?: string[]
  unfinished?: string[]
} {
  return {
    ...(unanswered.length === 0 ? {} : { unanswered: [...unanswered] }),
    ...(unfinished.length === 0 ? {} : { unfinished: [...unfinished] }),
  }
}

/** Like `pageOf`, for a list over several databases. A page may be short, or empty, although another one follows. */
export function placesPageOf<Item extends v.GenericSchema>(name: string, item: Item) {
  const page = { data: v.array(item), pagination: Pagination, ...gapEntries }
  return component(name, described(v.strictObject(page), 'A page of a list.'))
}

/** Rows of a list over several databases. */
type PlacesPage<Row> = PlacesList<Row, Position>

const ORDER = 'natural'

/** The context to which a cursor is bound: the endpoint, and the organization to which the list is filtered. */
interface ListScope extends Pick<CursorScope, 'endpointId'> {
  readonly organizationId: string | null
}

/** The position in a request's cursor; null: there is no cursor; `refused`: the cursor belongs to another list. */
export async function readCursor(
  cursor: string | null,
  scope: ListScope,
  { secrets }: Pick<OperatorWorld, 'secrets'>,
): Promise<Position | null | 'refused'> {
  if (cursor === null) return null
  return (await decodeCursor(cursor, boundBy(scope), secrets))?.position ?? 'refused'
}

/** The cursor for the page after a position; null for no position. */
export async function writeCursor(
  position: Position | null,
  scope: ListScope,
  { secrets }: Pick<OperatorWorld, 'secrets'>,
): Promise<string | null> {
  return nextCursorOf({ order: ORDER, position }, boundBy(scope), secrets)
}

function boundBy(scope: ListScope): CursorScope {
  return { ...scope, organizationId: scope.organizationId ?? '', parentId: null }
}

/** A list: the context of its cursors, how its rows are read, and what is published of each. */
interface ListRead<Row, Item> {
  readonly scope: ListScope
  /** Reads at most `limit` rows after a position; null: from the start. */
  readonly read: (after: Position | null, limit: number) => Promise<readonly Row[]>
  readonly positionOf: (row: Row) => Position
  readonly publish: (row: Row) => Item
}

/** Serves a page of a list. 400: the cursor belongs to another list. */
export async function servePage<Row, Item>(
  asked: AskedPage,
  world: Pick<OperatorWorld, 'secrets'>,
  { read, positionOf, ...list }: ListRead<Row, Item>,
): Promise<JsonReply<200, PageBody<Item>> | JsonReply<400, ErrorBody>> {
  const readPage = async (after: Position | null, limit: number): Promise<PlacesPage<Row>> => {
    // One row more than the page is read, to learn whether another page follows.
    const rows = await read(after, limit + 1)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return { rows: shown, next: last === undefined ? null : positionOf(last), ...NO_GAPS }
  }
  return servePlacesPage(asked, world, { ...list, read: readPage })
}

/** The page that a request asks for. */
export interface AskedPage {
  readonly limit: number
  readonly cursor: string | null
}

/** A list over several databases. */
interface PlacesRead<Row, Item> extends Pick<ListRead<Row, Item>, 'scope' | 'publish'> {
  /** Reads at most `limit` rows after a position; null: from the start. */
  readonly read: (after: Position | null, limit: number) => Promise<PlacesPage<Row>>
}

/** Like `servePage`, for a list over several databases, some of which may not answer. */
export async function servePlacesPage<Row, Item>(
  { limit, cursor }: AskedPage,
  world: Pick<OperatorWorld, 'secrets'>,
  { scope, read, publish }: PlacesRead<Row, Item>,
): Promise<JsonReply<200, PageBody<Item>> | JsonReply<400, ErrorBody>> {
  const given = await readCursor(cursor, scope, world)
  if (given === 'refused')
    return errorReply(400, 'Parameter cursor must be the nextCursor of a page of this very list.')
  const { rows, next, ...gaps } = await read(given, limit)
  const nextCursor = await writeCursor(next, scope, world)
  const pagination: Pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  return jsonReply(200, { data: rows.map(publish), pagination, ...publishedGaps(gaps) }, PRIVATE)
}

/** The body of a page. */
export interface PageBody<Item> {
  data: Item[]
  pagination: Pagination
  unanswered?: string[]
  unfinished?: string[]
}

/** Reads a page of a stored collection of one organization, for an operator's list. */
export async function readStoredPage<Row>(
  tenant: Pick<TenantWriter, 'findPage'>,
  query: Pick<PageQuery, 'collection' | 'select' | 'where' | 'order' | 'looksAtMax'>,
  { after, limit }: { readonly after: Position | null; readonly limit: number },
): Promise<PlacesPage<Row>> {
  // One row more than the page is read, to learn whether another page follows.
  const found = await tenant.findPage({ kind: 'page', ...query, after, limit: limit + 1 })
  const { rows, next } = cutPage(found.rows, { limit, order: query.order }, found.stoppedAt)
  // The type of the rows is that of the collection's selected fields, which the caller knows.
  return { rows: rows as readonly Row[], next, ...NO_GAPS }
}
