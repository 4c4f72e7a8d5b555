import type * as v from 'valibot'
import type { RequestBody } from '../../record/operation.ts'

/** The largest body of a request that says a few things. */
const SMALL_BYTES = 16_384

/** A body of JSON, which an operation reads before its handler is called. Keys that the schema does not name are refused. */
export function jsonBody<Schema extends v.GenericSchema>(
  schema: Schema,
  example: v.InferInput<Schema>,
  maxBytes = SMALL_BYTES,
): RequestBody<Schema> {
  const description = `At most ${maxBytes} bytes.`
  return { description, maxBytes, contentTypes: ['application/json'], schema, example }
}
