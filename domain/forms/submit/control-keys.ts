import { attributionKeys, attributionMaxLength } from '../definition/attribution.ts'
import { cutText } from '../../text/cut-text.ts'
import type { Entries } from '../definition/entries.ts'
import { GOTCHA_MAX_LENGTH, PASSWORD_MAX_LENGTH } from '../definition/limits.ts'
import { isBlank } from '../definition/readings.ts'
import type { FieldErrors } from '../answer/result.ts'

/** What a submission says besides its answers. */
export interface ControlKeys {
  /** Whether the bot trap was filled, with spaces even. */
  readonly isTrapped: boolean
  /** Null when none was given. */
  readonly password: string | null
  /** Whatever single value was given, not judged yet; null when none was. */
  readonly redirect: unknown
  /** By name without the leading underscore; only those that were given and are usable. */
  readonly attribution: Readonly<Record<string, string>>
}

export type ControlKeysReading =
  | { readonly kind: 'keys'; readonly keys: ControlKeys }
  | { readonly kind: 'invalid'; readonly fieldErrors: FieldErrors }

/** The control keys that say what a visit is attributed to, with the names under which they are stored. */
const attributionNames = attributionKeys.map((name) => [`_${name}`, name] as const)

const controlKeys = new Set(['_gotcha', '_password', '_redirect', ...attributionNames.map(([key]) => key)])

/** Whether a key of a body is one that never names a field. */
export function isControlKey(key: string): boolean {
  return controlKeys.has(key)
}

/** Reads the control keys of a body (contract, Control keys). Attribution never makes them invalid. */
export function readControlKeys(entries: Entries): ControlKeysReading {
  const fieldErrors = new Map<string, string>()
  for (const [key, problemOf] of judges) {
    const problem = problemOf(entries.get(key))
    if (problem !== null) fieldErrors.set(key, problem)
  }
  if (fieldErrors.size > 0) return { kind: 'invalid', fieldErrors }
  const password = entries.get('_password')?.[0] ?? null
  const redirect = entries.get('_redirect')?.[0] ?? null
  return {
    kind: 'keys',
    keys: {
      isTrapped: entries.get('_gotcha')?.[0] !== '',
      password: typeof password === 'string' && password !== '' ? password : null,
      redirect: redirect === '' ? null : redirect,
      attribution: readAttribution(entries),
    },
  }
}

type Values = readonly unknown[] | undefined

/** What is wrong with the values of each control key that can be wrong; null: nothing. */
const judges: readonly (readonly [key: string, problemOf: (values: Values) => string | null])[] = [
  ['_gotcha', gotchaProblem],
  ['_password', passwordProblem],
  ['_redirect', redirectProblem],
]

function gotchaProblem(values: Values): string | null {
  if (values === undefined) return 'This key is required; send it empty.'
  return textProblem(values, GOTCHA_MAX_LENGTH)
}

function passwordProblem(values: Values): string | null {
  return values === undefined || isAbsent(values) ? null : textProblem(values, PASSWORD_MAX_LENGTH)
}

/** Any single value but a list is judged as a redirect, later. */
function redirectProblem(values: Values): string | null {
  if (values === undefined || (values.length === 1 && !Array.isArray(values[0]))) return null
  return 'Give this key once, with a single value.'
}

function isAbsent(values: readonly unknown[]): boolean {
  return values.length === 1 && values[0] === null
}

function textProblem(values: readonly unknown[], maxLength: number): string | null {
  const [value, ...more] = values
  if (more.length > 0) return 'Give this key once.'
  if (typeof value !== 'string') return 'This value must be text.'
  return value.length > maxLength ? `Use at most ${maxLength} characters.` : null
}

function readAttribution(entries: Entries): Readonly<Record<string, string>> {
  const attribution: Record<string, string> = {}
  for (const [key, name] of attributionNames) {
    const values = entries.get(key)
    if (values?.length !== 1 || !isUsable(values[0])) continue
    attribution[name] = cutText(values[0].trim(), attributionMaxLength)
  }
  return attribution
}

/** Text that can be stored as it is. NUL and lone surrogates cannot. */
function isUsable(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value) && value.isWellFormed() && !value.includes('\0')
}
