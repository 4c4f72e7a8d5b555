import * as v from 'valibot'
import { isJsonObject, listOf } from './encoding.ts'
import { closest, distance } from 'fastest-levenshtein'

/** What is wrong with a part of a value. */
export interface Problem {
  /** The keys that lead to the part, joined by dots; empty: the value as a whole. */
  readonly path: string
  /** The rest of a sentence that begins with the path: what was expected, and what to do. */
  readonly message: string
}

/** A value that fits its schema, or everything that is wrong with it. */
type Judgement<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] }

/**
 * Reads a value by a schema. This is the one way from a schema to an error for a person: bodies of requests, lines of
 * imports and arguments of commands are read by it. Where the schema has no text of its own, `sentenceOf` has one, so
 * no text of the validator reaches anybody.
 */
export function judge<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): Judgement<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, value, { message: sentenceOf })
  if (result.success) return { value: result.output }
  const issues: readonly v.BaseIssue<unknown>[] = result.issues
  return { problems: issues.flatMap(innermost).flatMap((issue) => problemsOf(issue, schema)) }
}

/** For a union: the problems within the alternative that the value seems to be, when that can be told. */
function innermost(issue: v.BaseIssue<unknown>): readonly v.BaseIssue<unknown>[] {
  const deeper = (issue.issues ?? []).filter(({ path }) => (path?.length ?? 0) > 0)
  return deeper.length === 0
    ? [issue]
    : deeper.map(
        (inner) => ({ ...inner, path: [...(issue.path ?? []), ...(inner.path ?? [])] }) as typeof issue,
      )
}

function problemsOf(issue: v.BaseIssue<unknown>, schema: v.GenericSchema): readonly Problem[] {
  const keys = issue.path?.map(({ key }) => String(key)) ?? []
  if (issue.type === 'strict_object' && issue.expected === 'never') return unknownKeys(issue, keys, schema)
  const isMissing = issue.path !== undefined && issue.received === 'undefined'
  return [{ path: keys.join('.'), message: isMissing ? 'is required' : issue.message }]
}

/** Valibot names the first unknown key of an object only; this names them all. */
function unknownKeys(
  { path }: v.BaseIssue<unknown>,
  keys: readonly string[],
  schema: v.GenericSchema,
): readonly Problem[] {
  const around = keys.slice(0, -1)
  const known = knownKeys(schema, around)
  const object = path?.at(-1)?.input ?? {}
  // A key of another alternative is known, and yet not allowed here.
  return Object.keys(object)
    .filter((key) => key === keys.at(-1) || !known.includes(key))
    .map((key) => ({
      path: [...around, key].join('.'),
      message: known.includes(key)
        ? 'does not belong to what else is given here.'
        : `is not a known key. ${unknownWord(key, known)}`,
    }))
}

/**
 * The keys that a schema knows of the object at a path within its value; of all alternatives, where it has some.
 * @param schema a valibot schema, whose parts are looked at by their names
 */
function knownKeys(schema: unknown, path: readonly string[]): readonly string[] {
  if (!isJsonObject(schema)) return []
  const [key, ...rest] = path
  const around = [schema.wrapped, ...listOf(schema.pipe).slice(0, 1), ...listOf(schema.options)]
  const inside = around.flatMap((part) => knownKeys(part, path))
  const entries = isJsonObject(schema.entries) ? schema.entries : {}
  if (key === undefined) return [...new Set([...Object.keys(entries), ...inside])]
  const own = Object.hasOwn(entries, key) ? entries[key] : undefined
  return [...inside, ...[own, schema.item, schema.value].flatMap((part) => knownKeys(part, rest))]
}

/** Fewer letters tell too little to be taken in another order, or as a beginning. */
const TELLING_LENGTH_MIN = 3

/**
 * The known word that a misspelt one probably means: at most a third of its characters differ, its letters are in
 * another order, or it is the beginning of that word alone. Null: none is near. Case does not count.
 */
export function nearestWord(given: string, known: readonly string[]): string | null {
  if (known.length === 0 || given.length > 100) return null
  const lower = given.toLowerCase()
  const lowered = known.map((word) => word.toLowerCase())
  const nearest = closest(lower, lowered)
  const isNear = distance(lower, nearest) <= Math.max(1, Math.floor(given.length / 3))
  if (isNear) return known[lowered.indexOf(nearest)] ?? null
  if (given.length < TELLING_LENGTH_MIN) return null
  const found = reordered(lower, lowered) ?? completed(lower, lowered)
  return found === undefined ? null : (known[lowered.indexOf(found)] ?? null)
}

/** The word with the same letters, in another order. */
function reordered(given: string, known: readonly string[]): string | undefined {
  const lettersOf = (word: string) => Array.from(word).sort().join('')
  const letters = lettersOf(given)
  return known.find((word) => word.length === given.length && lettersOf(word) === letters)
}

/** The only word that begins so. */
function completed(given: string, known: readonly string[]): string | undefined {
  const [word, other] = known.filter((one) => one.startsWith(given))
  return other === undefined ? word : undefined
}

/** A sentence that suggests the nearest word, preceded by a space; empty when none is near. */
export function suggestion(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known)
  return nearest === null ? '' : ` Did you mean ${nearest}?`
}

/** What a key is told that is none of the known ones: the nearest of them, or else all. */
export function unknownWord(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known)
  if (nearest !== null) return `Did you mean ${nearest}?`
  return known.length === 0 ? 'There are none.' : `Known are ${known.join(', ')}.`
}

/** A misspelt key differs in at most so many letters from one that is known; from a short one in a single letter. */
const DIFFERING_MAX = 2
const SHORT_LENGTH = 3

/** How many items of a list are looked at. A longer list is refused, or its items are no objects. */
const ITEMS_MAX = 50

/**
 * The keys of a value, nested ones too, that its schema does not know, and that are misspellings of keys which it knows.
 * Whether letters are large or small makes no difference.
 */
export function misspeltKeys(
  schema: unknown,
  value: unknown,
  path: readonly string[] = [],
): readonly Problem[] {
  if (Array.isArray(value))
    return (
      value
        .slice(0, ITEMS_MAX)
        // No schema has lists in lists, and a body may have thousands of them, one within the other.
        .flatMap((item, index) =>
          Array.isArray(item) ? [] : misspeltKeys(schema, item, [...path, String(index)]),
        )
    )
  if (!isJsonObject(value)) return []
  const known = knownKeys(schema, path)
  return Object.entries(value).flatMap(([key, inner]) => {
    if (known.includes(key)) return misspeltKeys(schema, inner, [...path, key])
    const meant = meantBy(key, known)
    return meant === null
      ? []
      : [{ path: [...path, key].join('.'), message: `is not a known key. Did you mean ${meant}?` }]
  })
}

/** The known key that a misspelt one means: the nearest. Null: none is near. */
function meantBy(key: string, known: readonly string[]): string | null {
  const near = known
    .filter((word) => Math.abs(word.length - key.length) <= DIFFERING_MAX)
    .map((word) => ({ word, differing: distance(word.toLowerCase(), key.toLowerCase()) }))
    .filter(({ word, differing }) => differing <= (word.length <= SHORT_LENGTH ? 1 : DIFFERING_MAX))
    .sort((left, right) => left.differing - right.differing)
  return near[0]?.word ?? null
}

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
function sentenceOf({ type, input, expected, requirement }: v.BaseIssue<unknown>): string {
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

/**
 * A schema that checks the length of a list before its items, so that a list that is too long is a single problem.
 * Valibot would collect a problem for each item, and a body has room for millions of items.
 */
export function countedList<Schema extends v.GenericSchema>(
  list: Schema,
  itemsMax: number,
  problem: string,
): Schema {
  const tooLong = v.check<readonly unknown[], string>(() => false, problem)
  const run: Schema['~run'] = (dataset, config) => {
    const { value } = dataset
    if (!Array.isArray(value) || value.length <= itemsMax) return list['~run'](dataset, config)
    const { issues } = tooLong['~run']({ typed: true, value: value as readonly unknown[] }, config)
    return issues === undefined ? list['~run'](dataset, config) : { typed: true, value: [], issues }
  }
  return { ...list, '~run': run }
}
