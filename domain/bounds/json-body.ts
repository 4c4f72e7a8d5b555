import type * as v from 'valibot'
import type { Deadline } from '../../ports/platform.ts'
import { readRequestBody } from './read-body.ts'
import { acceptedType, contentTypeOf } from '../text/content-type.ts'
import { decodeUtf8 } from '../text/encoding.ts'
import { isJsonObject, parsedOr } from '../text/json.ts'
import { judge } from '../words/judge.ts'
import { misspeltKeys } from '../words/misspelt-keys.ts'
import { detailsOf } from './details.ts'
import { holdsMoreValues } from './json-values.ts'

/** Longest time that a body may take to arrive, in ms. */
const BODY_DURATION_MS = 30_000

/** The maximum number of values in a body, nested ones included: many times what any request needs. */
const VALUES_MAX = 50_000

/** A body that fits its schema, or what is wrong with it, as `path: message`. */
export type JsonBodyReading<Body> =
  | { readonly kind: 'body'; readonly body: Body }
  | { readonly kind: 'malformed'; readonly details: readonly string[] }

/** The schema and the bounds of a JSON body. */
interface JsonBody<Schema extends v.GenericSchema> {
  readonly schema: Schema
  readonly maxBytes: number
  /** Whether keys that the schema ignores are refused when they are misspellings of those that it knows. */
  readonly refusesMisspelt?: boolean
}

/** Reads a JSON object with the given schema from a request, once and within its bounds. */
export async function readJsonBody<Schema extends v.GenericSchema>(
  request: Request,
  { schema, maxBytes, refusesMisspelt = false }: JsonBody<Schema>,
  deadline: Deadline,
): Promise<JsonBodyReading<v.InferOutput<Schema>>> {
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
      const text = decodeUtf8(read.bytes, true)
      if (text === null) return malformed('must be text in UTF-8')
      if (holdsMoreValues(text, VALUES_MAX)) return malformed(`must hold at most ${VALUES_MAX} values`)
      const value = parsedOr(text, undefined)
      if (value === undefined && text.trim() !== '') return malformed(await mistakeOf(text))
      if (!isJsonObject(value)) return malformed('must be a JSON object')
      const judgement = judge(schema, value)
      const misspelt = refusesMisspelt ? misspeltKeys(schema, value) : []
      if ('value' in judgement && misspelt.length === 0) return { kind: 'body', body: judgement.value }
      const problems = 'value' in judgement ? [] : judgement.problems
      return { kind: 'malformed', details: detailsOf([...misspelt, ...problems]) }
    }
  }
}

/** Where a text is not JSON. What finds that is loaded on demand, because few requests need it. */
async function mistakeOf(text: string): Promise<string> {
  const { mistakeIn, mistakeText } = await import('../text/json-mistake.ts')
  const mistake = mistakeIn(text)
  return mistake === null ? 'must be a JSON object' : `is not JSON: ${mistakeText(mistake)}`
}

function malformed(problem: string): { readonly kind: 'malformed'; readonly details: readonly string[] } {
  return { kind: 'malformed', details: [`request: ${problem}`] }
}
