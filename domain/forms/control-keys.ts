import { attributionKeys, attributionMaxLength } from './language/attribution.ts'
import { keysOf } from '../text/json.ts'
import { isStorableText, cutText, characterCount } from '../text/characters.ts'
import { isBlank, type Entries } from './language/answers.ts'
import { GOTCHA_MAX_LENGTH, PASSWORD_MAX_LENGTH, REDIRECT_MAX_LENGTH } from './language/definition.ts'
import type { FieldErrors } from './result.ts'
import { parseUrl } from '../text/http.ts'

/** The values of a submission besides its answers. */
export interface ControlKeys {
  /** Whether the bot trap was filled. Even spaces fill it. */
  readonly isTrapped: boolean
  /** Null when none was given. */
  readonly password: string | null
  /** The single value that was given, not yet checked; null when none was. */
  readonly redirect: unknown
  /** The given and usable values, by name without the leading underscore. */
  readonly attribution: Readonly<Record<string, string>>
}

type ControlKeysReading =
  | { readonly kind: 'keys'; readonly keys: ControlKeys }
  | { readonly kind: 'invalid'; readonly fieldErrors: FieldErrors }

/** The control keys for attribution, with the names under which their values are stored. */
const attributionNames = attributionKeys.map((name) => [`_${name}`, name] as const)

type Values = readonly unknown[] | undefined

/** For each control key that can be wrong, a function that returns the problem with its values; null: none. */
const judges = {
  _gotcha: gotchaProblem,
  _password: passwordProblem,
  _redirect: redirectProblem,
} satisfies Readonly<Record<string, (values: Values) => string | null>>

/** A control key that can be wrong. Those for attribution cannot. */
export type JudgedKey = keyof typeof judges

const controlKeys = new Set<string>([...keysOf(judges), ...attributionNames.map(([key]) => key)])

/** Whether a key of a body is a control key, which never names a field. */
export function isControlKey(key: string): boolean {
  return controlKeys.has(key)
}

/** Reads the control keys of a body (contract, Control keys). An unusable attribution is ignored and never refused. */
export function readControlKeys(entries: Entries): ControlKeysReading {
  const fieldErrors = new Map<string, string>()
  for (const [key, problemOf] of Object.entries(judges)) {
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

function gotchaProblem(values: Values): string | null {
  if (values === undefined) return 'This key is required; send it empty.'
  return textProblem(values, GOTCHA_MAX_LENGTH)
}

function passwordProblem(values: Values): string | null {
  return values === undefined || isAbsent(values) ? null : textProblem(values, PASSWORD_MAX_LENGTH)
}

/** Only a list is refused here; any other value is checked later, when the redirect is resolved. */
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
  return characterCount(value) > maxLength ? `Use at most ${maxLength} characters.` : null
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

function isUsable(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value) && isStorableText(value)
}

/** Matches empty userinfo, as in `https://@host/`, which leaves no trace in the parsed URL. */
const EMPTY_USERINFO = /^\s*[a-z][a-z\d+.-]*:[/\\]*:?@/i

/** Matches a serialised origin: scheme and authority, nothing else. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@]+$/i

/**
 * The absolute thank-you URL for a `_redirect`, or null when it is not allowed. The decision is made on the parsed URL
 * (URL standard), so that tricks with the text have no effect: the URL must have the scheme, host and port of the
 * `Origin`, or be relative to it.
 * @param given the single value of `_redirect`, of any type
 * @param originHeader the `Origin` header of the request
 */
export function resolveRedirect(given: unknown, originHeader: string | null): string | null {
  const origin = parseOrigin(originHeader)
  if (origin === null || typeof given !== 'string' || !isCleanText(given)) return null
  const target = parseUrl(given, origin)
  if (target === null || !isWeb(target) || target.origin !== origin) return null
  return target.username === '' && target.password === '' ? target.href : null
}

/** The serialised origin, or null when the header is absent, `null` or not an http(s) origin. */
function parseOrigin(header: string | null): string | null {
  if (header === null || !ORIGIN.test(header)) return null
  const url = parseUrl(header)
  return url !== null && isWeb(url) ? url.origin : null
}

/** Whether a URL is http(s). The origin alone does not tell, because a `blob:` URL has the origin of its creator. */
function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:'
}

/**
 * Whether a text is free of control characters, which the parser would silently remove, and does not begin with `//`,
 * which would name a host.
 */
function isCleanText(text: string): boolean {
  if (text.length > REDIRECT_MAX_LENGTH || text.trim() === '' || !text.isWellFormed()) return false
  return !/\p{Cc}/u.test(text) && !/^\s*[/\\]{2}/.test(text) && !EMPTY_USERINFO.test(text)
}
