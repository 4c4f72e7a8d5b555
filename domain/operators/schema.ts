import type { RequestBody } from '../record/operation.ts'
import * as v from 'valibot'

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

const NAME_MAX_LENGTH = 100

/** What a person or a program is called. */
export const personName = v.pipe(
  v.string('must be a string'),
  v.check(
    (text) => text.trim() !== '' && text.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(text),
    `must be 1 to ${NAME_MAX_LENGTH} characters, without control characters`,
  ),
)

/** A number of rows, bytes or the like. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A UTC instant. */
export const instant = v.pipe(v.string(), v.isoTimestamp())
