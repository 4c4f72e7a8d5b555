import type { Deadline } from '../../ports/platform.ts'
import { readRequestBody } from './body.ts'
import { acceptedType, contentTypeOf } from '../text/http.ts'
import { decodeUtf8, isJsonObject, parsedOr } from '../text/encoding.ts'
import { judge, misspeltKeys, type Problem } from '../text/schema-errors.ts'
import { echoed, PROBLEMS_MAX } from './limits.ts'
import { isStorableText } from '../text/typed-text.ts'
import type * as v from 'valibot'

// JSON that comes in: how a body is read, how many values it may hold, and which of them can be stored.

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

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

/**
 * Whether a JSON text contains more than `max` values. It does not parse the text, because parsed values take up to
 * thirty times the memory of their text. Every value but the first follows a bracket, a brace or a comma, so these are
 * counted; an empty list or object counts as two. For a text that is not JSON the result means nothing.
 */
export function holdsMoreValues(json: string, max: number): boolean {
  let count = 1
  for (let index = 0; index < json.length && count <= max; index += 1) {
    switch (json.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(json, index)
        break
      case COMMA:
      case OPEN_BRACKET:
      case OPEN_BRACE:
        count += 1
    }
  }
  return count > max
}

/** The index at which the string that begins at `start` ends: that of its closing quote, or the end of the text. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, quote: number): boolean {
  let start = quote
  while (json.charCodeAt(start - 1) === BACKSLASH) start -= 1
  return (quote - start) % 2 === 1
}

/** The problems of a body as `path: message`, in the order of its keys. */
export function detailsOf(problems: readonly Problem[]): readonly string[] {
  return problems
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => `${path === '' ? 'request' : echoed(path)}: ${message}`)
}

/**
 * How deep lists and objects may be nested in a value. SQLite reads JSON of at most 1,000 levels, and every program that
 * walks through a value takes up stack for each.
 */
export const LEVELS_MAX = 500

/**
 * Finds values that no database could store unchanged, wherever in the record they are: a text with a lone surrogate or
 * a NUL, and a number that is too large for a double, would silently be stored as something else. Values that are nested
 * too deeply could be stored, and not be read again. Of each member of the record at most one is named, by the keys that
 * lead to it, joined by dots as those of a schema's problems are.
 */
export function storabilityProblems(record: Readonly<Record<string, unknown>>): readonly Problem[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const found = problemOf(name, value, LEVELS_MAX)
    return found === null ? [] : [{ path: found.path.join('.').toWellFormed(), message: found.message }]
  })
}

/** What is wrong with a member of an object or list, or with something in it, and the keys that lead there. */
interface Found {
  readonly path: readonly string[]
  readonly message: string
}

function problemOf(name: string, value: unknown, levels: number): Found | null {
  const found = (message: string): Found => ({ path: [name], message })
  if (!isStorableText(name)) return found(`has a name that ${unstorable(name)}`)
  if (typeof value === 'string') return isStorableText(value) ? null : found(unstorable(value))
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : found('holds a number that is too large')
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return found(`is in lists or objects of more than ${LEVELS_MAX} levels`)
  for (const [key, inner] of Object.entries(value)) {
    const within = problemOf(key, inner, levels - 1)
    if (within !== null) return { path: [name, ...within.path], message: within.message }
  }
  return null
}

function unstorable(text: string): string {
  return text.isWellFormed()
    ? 'holds the character NUL (U+0000), which cannot be stored. Remove it'
    : 'holds half a character (a lone surrogate), which cannot be stored. Remove it'
}

/**
 * What keeps a value of an archive from being stored and read again, as the rest of a sentence; null: nothing. Earlier
 * versions of the service stored texts with a NUL, and their archives must be restored.
 */
export function archivedValueProblem(value: unknown, levels = LEVELS_MAX): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'holds half a character'
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return `is in lists or objects of more than ${LEVELS_MAX} levels`
  for (const [key, inner] of Object.entries(value)) {
    const problem = archivedValueProblem(key, levels) ?? archivedValueProblem(inner, levels - 1)
    if (problem !== null) return problem
  }
  return null
}
