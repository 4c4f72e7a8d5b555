import * as v from 'valibot'
import type { Position } from '../../../ports/query.ts'
import type { CursorScope } from '../../read/cursor.ts'
import type { Gaps, PlacesList } from '../../placement/places-list.ts'
import { NO_GAPS } from '../../placement/places-list.ts'
import { decodeCursor, nextCursorOf } from '../../read/cursor.ts'
import { DEFAULT_LIMIT, readLimit } from '../../read/limit.ts'
import { component, described } from '../../record/meaning.ts'
import type { QueryParameter } from '../../record/query-parameters.ts'
import type { ErrorBody, JsonReply } from '../../record/reply.ts'
import { errorReply, jsonReply, PRIVATE } from '../../record/reply.ts'
import type { OperatorWorld } from './world.ts'

const LIMIT_MAX = 500

const limit: QueryParameter<number> = {
  description: `Rows per page. An invalid value counts as ${DEFAULT_LIMIT} and a value above ${LIMIT_MAX} as ${LIMIT_MAX}; \`pagination.limit\` shows what was used.`,
  schema: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMIT_MAX)),
  read: (given) => ({ kind: 'value', value: readLimit(given, LIMIT_MAX) }),
}

/** The parameter that continues an answer which came in parts. */
export function cursorParameter(description: string): QueryParameter<string | null> {
  return optionalText(description, 'AbL3nQ0yVx7Rk2mZ9tWc')('cursor')
}

/** The query parameters of every list. */
export const pageParameters = {
  limit,
  cursor: cursorParameter('`pagination.nextCursor` of the page before, from this very list.'),
}

/** The organization that a list over all of them is narrowed to. */
export const organizationFilter = optionalText(
  'Only what belongs to this organization.',
  'acme',
)('organizationId')

/** A parameter that may be left out. An empty value counts as left out. */
function optionalText(description: string, example: string) {
  return (name: string): QueryParameter<string | null> => ({
    description,
    schema: v.string(),
    example,
    read: ([text = '', ...more]) =>
      more.length > 0
        ? { kind: 'refused', error: `Parameter ${name} must be given at most once.` }
        : { kind: 'value', value: text === '' ? null : text },
  })
}

const Pagination = v.strictObject({
  limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
  hasMore: v.boolean(),
  nextCursor: v.nullable(v.string()),
})

/** The schema of a page of a list, under a name of its own. */
export function pageOf<Item extends v.GenericSchema>(name: string, item: Item) {
  return component(
    name,
    described(v.strictObject({ data: v.array(item), pagination: Pagination }), 'A page of a list.'),
  )
}

/** What is missing from an answer over several databases. */
const Unanswered = described(
  v.array(v.string()),
  'Left out when every database answered. Else the organizations at the roots of the families whose databases did not: what they hold is missing here.',
)

/** Families that hold nothing, of which operators learn by the way. */
const Unfinished = described(
  v.array(v.string()),
  'Left out when there is none. Else the organizations at the roots of families whose creation was begun and never finished: their databases hold nothing. Creating one again takes that up.',
)

/** What an answer over several databases leaves out. */
export const gapEntries = {
  unanswered: v.exactOptional(Unanswered),
  unfinished: v.exactOptional(Unfinished),
}

/** The gaps as an answer has them: each only when there is one. */
export function publishedGaps({ unanswered, unfinished }: Gaps): {
  unanswered?: string[]
  unfinished?: string[]
} {
  return {
    ...(unanswered.length === 0 ? {} : { unanswered: [...unanswered] }),
    ...(unfinished.length === 0 ? {} : { unfinished: [...unfinished] }),
  }
}

/** The same for a list over several databases. A page of it may be short, or empty, though another one follows. */
export function placesPageOf<Item extends v.GenericSchema>(name: string, item: Item) {
  const page = { data: v.array(item), pagination: Pagination, ...gapEntries }
  return component(name, described(v.strictObject(page), 'A page of a list.'))
}

/** Rows of a list over several databases. */
export type PlacesPage<Row> = PlacesList<Row, Position>

const ORDER = 'natural'

/** What a cursor is bound to: the endpoint, and the organization to which the list is narrowed. */
interface ListScope extends Pick<CursorScope, 'endpointId'> {
  readonly organizationId: string | null
}

/** Where the answer before ended; null: there was none; `refused`: the cursor does not belong here. */
export async function readCursor(
  cursor: string | null,
  scope: ListScope,
  { secrets }: Pick<OperatorWorld, 'secrets'>,
): Promise<Position | null | 'refused'> {
  if (cursor === null) return null
  return (await decodeCursor(cursor, boundBy(scope), secrets))?.position ?? 'refused'
}

/** The cursor that continues after a position; null for none. */
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

/** One list: what a cursor is bound to, and how its rows are read. */
interface ListRead<Row> {
  readonly scope: ListScope
  /** Reads at most `limit` rows from behind a position on; null: from the start. */
  readonly read: (after: Position | null, limit: number) => Promise<readonly Row[]>
  readonly positionOf: (row: Row) => Position
}

/** Answers a request for a page of a list; 400: the cursor does not belong to it. */
export async function servePage<Row, Item>(
  asked: AskedPage,
  { scope, read, positionOf }: ListRead<Row>,
  world: Pick<OperatorWorld, 'secrets'>,
  publish: (row: Row) => Item,
): Promise<JsonReply<200, PageBody<Item>> | JsonReply<400, ErrorBody>> {
  const readPage = async (after: Position | null, limit: number): Promise<PlacesPage<Row>> => {
    // One row more than the page shows whether another page follows.
    const rows = await read(after, limit + 1)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return { rows: shown, next: last === undefined ? null : positionOf(last), ...NO_GAPS }
  }
  return servePlacesPage(asked, { scope, read: readPage }, world, publish)
}

/** What a request asks for of a list. */
interface AskedPage {
  readonly limit: number
  readonly cursor: string | null
}

/** A list over several databases. */
interface PlacesRead<Row> extends Pick<ListRead<Row>, 'scope'> {
  /** Reads at most `limit` rows from behind a position on; null: from the start. */
  readonly read: (after: Position | null, limit: number) => Promise<PlacesPage<Row>>
}

/** The same for a list over several databases, some of which may not answer. */
export async function servePlacesPage<Row, Item>(
  { limit, cursor }: AskedPage,
  { scope, read }: PlacesRead<Row>,
  world: Pick<OperatorWorld, 'secrets'>,
  publish: (row: Row) => Item,
): Promise<JsonReply<200, PageBody<Item>> | JsonReply<400, ErrorBody>> {
  const given = await readCursor(cursor, scope, world)
  if (given === 'refused')
    return errorReply(400, 'Parameter cursor must be the nextCursor of a page of this very list.')
  const { rows, next, ...gaps } = await read(given, limit)
  const nextCursor = await writeCursor(next, scope, world)
  const pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  return jsonReply(200, { data: rows.map(publish), pagination, ...publishedGaps(gaps) }, PRIVATE)
}

interface PageBody<Item> {
  data: Item[]
  pagination: v.InferOutput<typeof Pagination>
  unanswered?: string[]
  unfinished?: string[]
}
