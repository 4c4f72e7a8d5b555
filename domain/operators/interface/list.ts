import * as v from 'valibot'
import type { Position } from '../../../ports/query.ts'
import type { CursorScope } from '../../read/cursor.ts'
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

const cursor = optionalText(
  '`pagination.nextCursor` of the page before, from this very list.',
  'AbL3nQ0yVx7Rk2mZ9tWc',
)

/** The query parameters of every list. */
export const pageParameters = { limit, cursor: cursor('cursor') }

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

/** One list: what a cursor is bound to, and how its rows are read. */
interface ListRead<Row> {
  /** The endpoint, and the organization to which the list is narrowed. */
  readonly scope: Pick<CursorScope, 'endpointId'> & { readonly organizationId: string | null }
  /** Reads at most `limit` rows from behind a position on; null: from the start. */
  readonly read: (after: Position | null, limit: number) => Promise<readonly Row[]>
  readonly positionOf: (row: Row) => Position
}

const ORDER = 'natural'

/** Answers a request for a page of a list; 400: the cursor does not belong to it. */
export async function servePage<Row, Item>(
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
  { scope, read, positionOf }: ListRead<Row>,
  { secrets }: Pick<OperatorWorld, 'secrets'>,
  publish: (row: Row) => Item,
): Promise<JsonReply<200, PageBody<Item>> | JsonReply<400, ErrorBody>> {
  const bound: CursorScope = { ...scope, organizationId: scope.organizationId ?? '', parentId: null }
  const given = cursor === null ? null : await decodeCursor(cursor, bound, secrets)
  if (cursor !== null && given === null)
    return errorReply(400, 'Parameter cursor must be the nextCursor of a page of this very list.')
  // One row more than the page shows whether another page follows.
  const rows = await read(given?.position ?? null, limit + 1)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const position = last === undefined ? null : positionOf(last)
  const nextCursor = await nextCursorOf({ order: ORDER, position }, bound, secrets)
  const pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  return jsonReply(200, { data: shown.map(publish), pagination }, PRIVATE)
}

interface PageBody<Item> {
  data: Item[]
  pagination: v.InferOutput<typeof Pagination>
}
