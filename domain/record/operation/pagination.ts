import * as v from 'valibot'

/** The position of a page in its list, as every page of both interfaces gives it (contract, Collection envelope). */
export const Pagination = v.strictObject({
  limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
  hasMore: v.boolean(),
  nextCursor: v.nullable(v.string()),
})
export type Pagination = v.InferOutput<typeof Pagination>
