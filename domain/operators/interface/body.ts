import type * as v from 'valibot'
import type { RequestBody } from '../../record/operation.ts'

/** The maximum size of a JSON body, unless an operation declares another one. */
const SMALL_BYTES = 16_384

/**
 * A JSON body, which is read before the operation's handler is called. Keys that the schema does not name are refused.
 */
export function jsonBody<Schema extends v.GenericSchema>(
  schema: Schema,
  example: v.InferInput<Schema>,
  maxBytes = SMALL_BYTES,
): RequestBody<Schema> {
  const description = `At most ${maxBytes} bytes.`
  return { description, maxBytes, contentTypes: ['application/json'], schema, example }
}
