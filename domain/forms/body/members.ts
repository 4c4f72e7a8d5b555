import {
  groupEntries,
  InexactNumber,
  notUtf8,
  type BodyProblem,
  type Entries,
} from '../definition/answers/entries.ts'
import { parseNumber } from '../definition/answers/readings.ts'
import { decodeUtf8 } from '../../text/encoding.ts'
import { isJsonObject, parseJson, parsedOr } from '../../text/json.ts'

/**
 * Reads an `application/json` body: the members of an object. Of a repeated key the last one counts; `__proto__` is an
 * ordinary key.
 */
export function parseMembers(bytes: Uint8Array): Entries | BodyProblem {
  const text = decodeUtf8(bytes, true)
  if (text === null) return notUtf8
  const value = parsedOr(text, null)
  if (!isJsonObject(value)) return { kind: 'malformed', message: 'The request body is not a JSON object.' }
  const written = numbersAsWritten(text)
  return groupEntries(
    Object.entries(value).map(([key, member]) => {
      const number = typeof member === 'number' ? (written.get(key) ?? '') : null
      return [key, number === null || parseNumber(number) !== null ? member : new InexactNumber(number)]
    }),
  )
}

/** The tokens of JSON: strings, signs, and everything else. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g

/**
 * The texts of an object's plain members, of numbers as they were written; `text` is valid JSON. Not by a reviver, which
 * newer runtimes give the source of a value: it calls itself for each level, and a body may have thousands.
 */
function numbersAsWritten(text: string): ReadonlyMap<string, string> {
  const written = new Map<string, string>()
  let depth = 0
  let key: string | null = null
  let before = ''
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ':' && depth === 1) key = String(parseJson(before))
    else if (before === ':' && depth === 1 && key !== null) written.set(key, token)
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    before = token
  }
  return written
}
