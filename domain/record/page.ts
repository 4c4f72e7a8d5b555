import * as v from 'valibot'
import { jsonTextReply, PRIVATE, type Reply } from './reply.ts'

/** The position of a page in its list, as every page of both interfaces gives it (contract, Collection envelope). */
export const Pagination = v.strictObject({
  limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
  hasMore: v.boolean(),
  nextCursor: v.nullable(v.string()),
})
export type Pagination = v.InferOutput<typeof Pagination>

/** One page of a collection or of groups, in the collection envelope (contract, Collection envelope). */
interface Page {
  readonly organizationId: string
  readonly filters: Readonly<Record<string, unknown>>
  /** The published rows, each as JSON text. */
  readonly data: readonly string[]
  readonly limit: number
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Makes the reply with a page, for the caller alone. */
export function pageReply({ organizationId, filters, data, limit, nextCursor }: Page): Reply {
  const pagination: Pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  // Rows that storage wrote as JSON are inserted as text, which saves parsing and writing them again.
  const before = `{"organizationId":${JSON.stringify(organizationId)},"filters":${JSON.stringify(filters)}`
  return jsonTextReply(
    200,
    `${before},"data":[${data.join()}],"pagination":${JSON.stringify(pagination)}}`,
    PRIVATE,
  )
}
