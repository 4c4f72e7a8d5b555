import * as v from 'valibot'
import { nearestWord } from '../text/nearest-word.ts'
import { knownKeys } from './known-keys.ts'
import { sentenceOf } from './sentence.ts'

/** What is wrong with a part of a value. */
export interface Problem {
  /** The keys that lead to the part, joined by dots; empty: the value as a whole. */
  readonly path: string
  /** The rest of a sentence that begins with the path: what was expected, and what to do. */
  readonly message: string
}

/** A value that fits its schema, or everything that is wrong with it. */
export type Judgement<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] }

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

/** What a key is told that is none of the known ones: the nearest of them, or else all. */
export function unknownWord(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known)
  if (nearest !== null) return `Did you mean ${nearest}?`
  return known.length === 0 ? 'There are none.' : `Known are ${known.join(', ')}.`
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
      message: `is not a known key. ${unknownWord(key, known)}`,
    }))
}
