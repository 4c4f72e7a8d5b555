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

const controlKeys = new Set(['_gotcha', '_password', '_redirect', ...attributionKeys.map((key) => `_${key}`)])

/** Whether a key of a body is one that never names a field. */
export function isControlKey(key: string): boolean {
  return controlKeys.has(key)
}

/** Reads the control keys of a body (contract, Control keys). Attribution never makes them invalid. */
export function readControlKeys(entries: Entries): ControlKeysReading {
  const problems = [
    ['_gotcha', gotchaProblem(entries.get('_gotcha'))],
    ['_password', passwordProblem(entries.get('_password'))],
    ['_redirect', redirectProblem(entries.get('_redirect'))],
  ] as const
  const fieldErrors = new Map(
    problems.flatMap(([key, problem]) => (problem === null ? [] : [[key, problem]])),
  )
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
  return Object.fromEntries(
    attributionKeys.flatMap((name) => {
      const [value, ...more] = entries.get(`_${name}`) ?? []
      return more.length > 0 || !isUsable(value) ? [] : [[name, cutText(value.trim(), attributionMaxLength)]]
    }),
  )
}

/** Text that can be stored as it is. NUL and lone surrogates cannot. */
function isUsable(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value) && value.isWellFormed() && !value.includes('\0')
}
