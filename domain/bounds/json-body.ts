import * as v from 'valibot'
import type { Deadline } from '../../ports/deadline.ts'
import { readRequestBody } from './read-body.ts'
import { acceptedType, contentTypeOf } from '../text/content-type.ts'
import { decodeUtf8 } from '../text/encoding.ts'
import { detailsOf } from './details.ts'
import { holdsMoreValues } from './json-values.ts'

/** Longest time that a body may take to arrive, in ms. */
const BODY_DURATION_MS = 30_000

/** Most values that a body may hold, nested ones included: many times what any request needs. */
const VALUES_MAX = 50_000

/** A body that fits its schema, or what is wrong with it, as `path: message`. */
export type BodyReading<Body> =
  | { readonly kind: 'body'; readonly body: Body }
  | { readonly kind: 'malformed'; readonly details: readonly string[] }

/** What a JSON body must be. */
interface JsonBody<Schema extends v.GenericSchema> {
  readonly schema: Schema
  readonly maxBytes: number
}

/** Reads a JSON object of the given schema from a request, once and never beyond its bounds. */
export async function readJsonBody<Schema extends v.GenericSchema>(
  request: Request,
  { schema, maxBytes }: JsonBody<Schema>,
  deadline: Deadline,
): Promise<BodyReading<v.InferOutput<Schema>>> {
  if (acceptedType(contentTypeOf(request.headers), request.headers, ['application/json']) === null) {
    return malformed('Content-Type must be application/json, in UTF-8 and uncompressed')
  }
  const read = await readRequestBody(request, { maxBytes, durationMs: BODY_DURATION_MS }, deadline)
  switch (read.kind) {
    case 'too_large':
      return malformed(`must be at most ${maxBytes} bytes`)
    case 'incomplete':
      return malformed('did not arrive completely')
    case 'bytes': {
      const text = decodeUtf8(read.bytes, true) ?? ''
      if (holdsMoreValues(text, VALUES_MAX)) return malformed(`must hold at most ${VALUES_MAX} values`)
      const value = parseObject(text)
      if (value === null) return malformed('must be a JSON object')
      const result = v.safeParse(schema, value)
      return result.success
        ? { kind: 'body', body: result.output }
        : { kind: 'malformed', details: detailsOf(result.issues) }
    }
  }
}

function malformed(problem: string): { readonly kind: 'malformed'; readonly details: readonly string[] } {
  return { kind: 'malformed', details: [`request: ${problem}`] }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
