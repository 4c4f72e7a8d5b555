import type * as v from 'valibot'
import { suggestion } from '../text/nearest-word.ts'

const stringForms: Readonly<Record<string, string>> = {
  iso_date: 'a date such as 2026-05-20',
  iso_timestamp: 'an instant such as 2026-05-20T08:30:00.000Z',
  email: 'an email address such as ada@example.com',
  url: 'a web address such as https://example.com/',
  uuid: 'a UUID such as 018f3c6e-7b1a-7c3d-9e2f-5a6b7c8d9e0f',
  base64: 'padded base64',
  integer: 'a whole number',
  safe_integer: 'a whole number',
  finite: 'a number',
}

/** What a value of each type is called. The names are those of valibot's schemas and of what it expects. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number, such as 12.5',
  boolean: 'true or false',
  null: 'null',
  Array: 'a list, such as ["a","b"]',
  Object: 'an object, such as {"key":"value"}',
}

/**
 * What is wrong with a value whose schema has no text of its own for that: the rest of a sentence that begins with the
 * place of the value. No text of the validator is part of it.
 */
export function sentenceOf({ type, input, expected, requirement }: v.BaseIssue<unknown>): string {
  const things = Array.isArray(input) ? 'entries' : 'characters'
  switch (type) {
    case 'min_value':
      return `must be at least ${String(requirement)}`
    case 'max_value':
      return `must be at most ${String(requirement)}`
    case 'min_length':
      return `must have at least ${String(requirement)} ${things}`
    case 'max_length':
      return `must have at most ${String(requirement)} ${things}`
    case 'length':
      return `must have exactly ${String(requirement)} ${things}`
    case 'non_empty':
      return 'must not be empty'
  }
  const form = stringForms[type]
  return form === undefined ? ofAlternatives(expected ?? '', input) : `must be ${form}`
}

/** A sentence about the alternatives that valibot writes as `("a" | "b")` or `(string | Object)`. */
function ofAlternatives(expected: string, input: unknown): string {
  const words = [...expected.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => String(JSON.parse(quoted)))
  if (words.length > 0)
    return `must be one of ${words.join(', ')}.${typeof input === 'string' ? suggestion(input, words) : ''}`
  const names = expected.split(/[()|&\s]+/).flatMap((name) => typeNames[name] ?? [])
  return names.length === 0 ? 'has a value that is not allowed here' : `must be ${names.join(' or ')}`
}

/** A text with a full stop, unless it ends as a sentence already. */
export function ended(sentence: string): string {
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`
}
